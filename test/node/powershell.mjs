// node powershell.mjs: reads {"name": "source", …} and prints {"name": ["line:column: fault", …], …}.
// A fault is what the grammar of PowerShell does not know, or a change of the machine outside of ShouldProcess, so that
// -WhatIf would not hold it back.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { Language, Parser } from 'web-tree-sitter';

await Parser.init();
const grammar = createRequire(import.meta.url).resolve('tree-sitter-powershell/tree-sitter-powershell.wasm');
const parser = new Parser();
parser.setLanguage(await Language.load(grammar));

// Commands that change nothing; what starts with & is a program or a script.
const harmless = /^(Get|Test|Join|Split|Where|ForEach|New-Object|ConvertTo|ConvertFrom|Write|Out-Null|Set-StrictMode)\b/i;
const reading = /\/getactivescheme|\/query/i;

function faults(source) {
  const own = new Set([...source.matchAll(/^\s*function\s+([\w-]+)/gim)].map((match) => match[1].toLowerCase()));
  const list = [];
  const at = (node, what) => list.push(`${node.startPosition.row + 1}:${node.startPosition.column + 1}: ${what}`);
  (function walk(node, guarded) {
    if (node.isMissing) at(node, `${node.type} is missing`);
    else if (node.isError) at(node, 'not PowerShell');
    if (node.type === 'command' && !guarded && changes(node.text, own)) at(node, `outside of ShouldProcess: ${node.text.split(/\s/, 2).join(' ')}`);
    const asks = node.type === 'if_statement' || node.type === 'elseif_clause';
    // Only the block that follows a condition is under it, not its else.
    const condition = asks ? node.namedChildren.find((child) => child.type === 'pipeline') : null;
    const asked = condition?.text.includes('$PSCmdlet.ShouldProcess(');
    for (const child of node.children) walk(child, guarded || Boolean(asked) && child.type === 'statement_block');
  })(parser.parse(source).rootNode, false);
  return list;
}

function changes(command, own) {
  if (/^\.\s/.test(command)) return false; // dot-sourcing defines functions
  if (/^&\s/.test(command)) return !reading.test(command) && !/-WhatIf:\$WhatIfPreference$/.test(command.trim());
  if (/^\d/.test(command)) return false; // the grammar takes 1..4 for a command
  const name = command.split(/[\s(]/, 1)[0];
  // Our own functions ask themselves.
  return !harmless.test(name) && !own.has(name.toLowerCase()) && !['set-value', 'restore-value', 'save-undo'].includes(name.toLowerCase());
}

const sources = JSON.parse(readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(Object.fromEntries(Object.entries(sources).map(([name, source]) => [name, faults(source)]))));
