function main() {
  var el = find(input.locator, function (el) {
    var name = tag(el);
    return name == 'FRAME' || name == 'IFRAME';
  });
  found = el || null;
  return { status: el ? 'ok' : el === undefined ? 'find' : 'missing' };
}
