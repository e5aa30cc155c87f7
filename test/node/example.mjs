// The example of ie-mode-mcp §9, with the inputs and the output fields given
// there. call(tool, args) answers the result of tools/call.
import assert from 'node:assert/strict';

const tools = ['browser_close', 'browser_start', 'click', 'inspect_page', 'navigate', 'screenshot', 'select', 'switch_window', 'type', 'wait_for'];

export async function example(site, client) {
  const listed = await client.listTools();
  const names = listed.tools.map((tool) => tool.name);
  assert.deepEqual(tools.filter((tool) => !names.includes(tool)), []);

  const call = async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
    return result.structuredContent;
  };
  const id = (value) => ({ by: 'id', value });

  try {
    assert.equal((await call('browser_start')).status, 'ready');
    const at = await call('navigate', { url: `${site}/customer` });
    assert.equal(at.url, `${site}/customer`);
    assert.equal(at.title, '顧客検索');

    const page = await call('inspect_page');
    assert.equal(page.text.split(/\s+/).join(' ').trim(), '顧客検索 顧客名 支店 検索');
    assert.equal(page.truncated, false);
    const [name, branch, button, frame] = page.elements;
    assert.deepEqual([name.tag, name.id, name.name, name.type], ['input', 'customerName', 'customerName', 'text']);
    assert.deepEqual([branch.tag, branch.id, branch.text, branch.optionCount], ['select', 'branch', '東京支店', 12]);
    assert.deepEqual([button.tag, button.id, button.text], ['button', 'searchButton', '検索']);
    assert.deepEqual([frame.tag, frame.name], ['iframe', 'mainFrame']);

    assert.equal((await call('type', { selector: id('customerName'), text: '山田太郎', clear: true })).status, 'ok');
    const chosen = await call('select', { selector: id('branch'), by: 'text', value: '東京支店' });
    assert.deepEqual([chosen.text, chosen.value, chosen.index], ['東京支店', '13', 2]);
    await call('click', { selector: id('searchButton') });
    assert.equal((await call('wait_for', { type: 'visible', selector: id('resultTable'), timeoutMs: 10000 })).type, 'visible');
    assert.ok((await call('inspect_page')).elements.some((element) => element.text === '山田太郎'));
    await call('click', { selector: { by: 'linkText', value: '山田太郎' } });
    assert.equal((await call('wait_for', { type: 'title', text: '顧客詳細' })).title, '顧客詳細');
    assert.equal((await call('inspect_page')).title, '顧客詳細');

    const shot = await client.callTool({ name: 'screenshot', arguments: {} });
    const image = shot.content.find((part) => part.type === 'image');
    assert.equal(image.mimeType, 'image/png');
    assert.equal(Buffer.from(image.data, 'base64').length, shot.structuredContent.bytes);

    const failed = await client.callTool({ name: 'click', arguments: { selector: id('nowhere'), timeoutMs: 100 } });
    assert.equal(failed.isError, true);
    const error = JSON.parse(failed.content[0].text);
    assert.equal(error.error, 'ELEMENT_NOT_FOUND');
    assert.deepEqual(error.selector, id('nowhere'));
  } finally {
    assert.equal((await call('browser_close')).status, 'closed');
    await client.close();
  }
}
