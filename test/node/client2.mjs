// node client2.mjs SITE stdio GATEWAY | node client2.mjs SITE http URL
// The newer TypeScript SDK, @modelcontextprotocol/client 2.x, in the newer
// generation of MCP.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { example } from './example.mjs';

const version = '2026-07-28';
const [site, way, where] = process.argv.slice(2);
const client = new Client({ name: 'iemesh-test', version: '1' }, { versionNegotiation: { mode: { pin: version } } });
await client.connect(way === 'stdio'
  ? new StdioClientTransport({ command: where, args: ['--stdio'], env: process.env, cwd: process.cwd() })
  : new StreamableHTTPClientTransport(new URL(where)));
assert.equal(client.getNegotiatedProtocolVersion(), version);
await example(site, client);
