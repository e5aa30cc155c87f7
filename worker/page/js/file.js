function main() {
  var el = element || find(input.locator);
  if (el === undefined) { return { status: 'find' }; }
  if (!el) { return { status: 'missing' }; }
  if (tag(el) != 'INPUT' || text(el, 'type').toLowerCase() != 'file') { return { status: 'notFile' }; }
  if (disabled(el)) { return { status: 'disabled' }; }
  watch();
  found = el;
  return { status: 'ok' };
}
