function fire(el, type, key) {
  var e;
  try {
    if (doc.createEvent) {
      e = doc.createEvent('HTMLEvents');
      e.initEvent(type, true, key);
      if (key) { e.keyCode = e.which = 229; }
      el.dispatchEvent(e);
      return;
    }
  } catch (e1) { return; }
  try {
    e = doc.createEventObject();
    if (key) { e.keyCode = 229; }
    el.fireEvent('on' + type, e);
  } catch (e2) { }
}

// Frameworks put their own setter on the element; the user's way goes past it.
function put(el, value) {
  var d;
  if (!isField(el)) {
    el.innerText = value;
    return;
  }
  try { d = Object.getOwnPropertyDescriptor(window[tag(el) == 'INPUT' ? 'HTMLInputElement' : 'HTMLTextAreaElement'].prototype, 'value'); } catch (e) { }
  if (d && d.set) { d.set.call(el, value); } else { el.value = value; }
}

function limit(el) {
  var n = isField(el) ? number(el, 'maxLength') : undefined;
  return n > 0 && n < 0x7fffffff ? n : Infinity;
}

// What any keyboard can type, without the mark that stands for what it cannot.
function plain(s) {
  return s.replace(/[^\x00-\x7f]|\?/g, '');
}

// Whether the field holds the text of this length and sum, after what was there.
function arrived(value, old) {
  var rest = value.substring(old.length);
  return value.substring(0, old.length) === old && rest.length === input.length && sum(rest) === input.sum;
}

function filled() {
  var m = memory(), el = m.field, want, got, max;
  if (!el || !within(el, doc)) { return { gone: true }; }
  if (input.probe) { return { gone: false, arrived: arrived(held(el), input.clear ? '' : m.old) }; }
  want = (input.clear ? '' : m.old) + input.want.replace(/\r\n?/g, '\n');
  got = held(el);
  if (got === want) { return { gone: false, method: 'keys' }; }
  max = limit(el);
  if (got !== m.old && (got.length >= max || plain(got) !== plain(want) || plain(want) === want)) {
    return { gone: false, method: 'keys', differs: true };
  }
  call(el, 'focus');
  fire(el, 'keydown', true);
  put(el, clip(want, max));
  fire(el, 'input', false);
  fire(el, 'keyup', true);
  fire(el, 'change', false);
  return { gone: false, method: 'script', differs: held(el) !== want };
}
