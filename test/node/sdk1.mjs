// node sdk1.mjs SITE stdio GATEWAY | node sdk1.mjs SITE http URL
// The older TypeScript SDK, @modelcontextprotocol/sdk 1.x.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { example } from './example.mjs';

const [site, way, where] = process.argv.slice(2);
const client = new Client({ name: 'iemesh-test', version: '1' });
await client.connect(way === 'stdio'
  ? new StdioClientTransport({ command: where, args: ['--stdio'], env: process.env, cwd: process.cwd() })
  : new StreamableHTTPClientTransport(new URL(where)));
await example(site, client);
