function ready(w, depth) {
  var i, n, ok = true;
  try { ok = complete(w.document); } catch (e) { }
  n = get(w.frames, 'length');
  for (i = 0; ok && depth < 8 && typeof n == 'number' && i < n && i < 200; i++) {
    try { ok = ready(w.frames[i], depth + 1); } catch (e2) { }
  }
  return ok;
}

function content(el) {
  var name = tag(el), s = '', list, i;
  if (name == 'SELECT') {
    list = get(el, 'options');
    for (i = 0; list && i < list.length; i++) { s += optionText(list[i]) + ' '; }
    return tidy(s);
  }
  if (name == 'TEXTAREA' || name == 'INPUT' && text(el, 'type') != 'password') { return tidy(text(el, 'value')); }
  return words(el, 1e9);
}

function main() {
  var type = input.type, el;
  if (type == 'ready') { return { holds: ready(window, 0), status: 'ok' }; }
  if (type == 'url') { return { holds: text(window.location, 'href').indexOf(input.text) >= 0, status: 'ok' }; }
  if (type == 'title') { return { holds: text(doc, 'title').indexOf(input.text) >= 0, status: 'ok' }; }
  el = element || find(input.locator);
  if (el === undefined) { return { holds: false, status: 'find' }; }
  if (!el) { return { holds: type == 'gone', status: 'missing' }; }
  if (type == 'present') { return { holds: true, status: 'ok' }; }
  if (type == 'text') { return { holds: content(el).indexOf(tidy(input.text)) >= 0, status: 'ok' }; }
  if (!seen(el)) { return { holds: type == 'gone', status: 'hidden' }; }
  if (type == 'enabled' && disabled(el)) { return { holds: false, status: 'disabled' }; }
  return { holds: type != 'gone', status: 'ok' };
}
