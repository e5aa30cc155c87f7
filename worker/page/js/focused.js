function main() {
  var name;
  if (input.take) { call(window, 'focus'); }
  found = bare(doc, 'activeElement') || get(doc, 'activeElement') || bare(doc, 'body') || doc.body;
  if (!found) { return { status: 'missing' }; }
  watch();
  name = tag(found);
  return { status: 'ok', frame: name == 'FRAME' || name == 'IFRAME' };
}
