// Every script starts with this: reading what may be hidden, where the document
// is and whose it is, the serialiser, the answer.

var doc = document, found = null;

function get(o, k) {
  try { return o[k]; } catch (e) { return undefined; }
}

// Names of children hide properties of a form and of the document
// (<input name="parentNode">); the prototypes still have them.
function bare(o, k) {
  var names = o === doc ? ['Document', 'HTMLDocument', 'Node'] : ['HTMLFormElement', 'HTMLElement', 'Element', 'Node'], i, d;
  for (i = 0; i < names.length; i++) {
    try {
      d = Object.getOwnPropertyDescriptor(window[names[i]].prototype, k);
      if (d) { return d.get ? d.get.call(o) : d.value; }
    } catch (e) { }
  }
  return undefined;
}

function text(o, k) {
  var v = get(o, k);
  if (v && typeof v == 'object') { v = bare(o, k); }
  return typeof v == 'string' ? v : '';
}

// Host methods of old modes count their arguments and have no apply. What
// throws gives undefined.
function call(o, k, a, b) {
  var n = arguments.length, f;
  try { return n < 3 ? o[k]() : n < 4 ? o[k](a) : o[k](a, b); } catch (e) { }
  try {
    f = bare(o, k);
    return f && f !== o[k] ? f.call(o, a, b) : undefined;
  } catch (e2) { return undefined; }
}

// Cuts s to n characters without splitting a surrogate pair.
function clip(s, n) {
  var c;
  if (s.length <= n) { return s; }
  c = s.charCodeAt(n - 1);
  return s.substring(0, c >= 0xd800 && c < 0xdc00 ? n - 1 : n);
}

function cut(s, n) {
  return s.length > n ? clip(s, n) + '\u2026' : s;
}

function escaped(c) {
  c = c.charCodeAt(0).toString(16);
  return '\\u' + '0000'.substring(c.length) + c;
}

function json(v) {
  var s, i, k;
  if (typeof v == 'string') {
    return '"' + v.replace(/[\x00-\x1f\x7f-\x9f"\\\u2028\u2029\ud800-\udfff\ufdd0-\ufdef\ufff0-\uffff]/g, escaped) + '"';
  }
  if (typeof v == 'number') { return isFinite(v) ? '' + v : 'null'; }
  if (typeof v == 'boolean') { return '' + v; }
  if (!v) { return 'null'; }
  s = '';
  if (v instanceof Array) {
    for (i = 0; i < v.length; i++) { s += (i ? ',' : '') + json(v[i]); }
    return '[' + s + ']';
  }
  for (k in v) {
    if (Object.prototype.hasOwnProperty.call(v, k) && v[k] !== undefined) { s += (s ? ',' : '') + json(k) + ':' + json(v[k]); }
  }
  return '{' + s + '}';
}

// Comparing strings is out of a page's reach; methods and expressions are not.
function blank(href) {
  return href >= 'about:blank' && href < 'about:blanl' ||
    href >= 'about:srcdoc' && href < 'about:srcdod' ||
    href >= 'javascript:' && href < 'javascript;';
}

// The address that decides about this document: its own, for a blank one that
// of its parent or opener. "about:blank" when nobody can be reached.
function where() {
  var w = window, href, up, i, origin, opener = '';
  for (i = 0; i < 9; i++) {
    href = up = undefined;
    try { href = w.location.href; } catch (e) { }
    if (typeof href != 'string') { return 'about:blank'; }
    if (!blank(href)) { break; }
    try {
      up = w.parent;
      if (!up || up == w) {
        up = w.opener;
        opener = 'opener ';
      }
    } catch (e2) { }
    if (!up || up == w) { return 'about:blank'; }
    w = up;
  }
  // A page can replace window.parent; this it cannot.
  try { origin = i && window.location.ancestorOrigins[0]; } catch (e3) { }
  if (blank(href) || origin && href !== origin && !(href >= origin + '/' && href < origin + '0')) {
    return 'about:blank';
  }
  return opener + href;
}

function complete(d) {
  return text(d, 'readyState') == 'complete';
}

// What is kept in the document from one script to the next.
function memory() {
  var m = get(doc, '__iemesh');
  if (m && typeof m.token == 'string') { return m; }
  m = { token: new Date().getTime() + '.' + Math.random(), fresh: true };
  try { doc.__iemesh = m; } catch (e) { }
  return m;
}

function state(empty) {
  var m = memory(), s = { url: clip(text(window.location, 'href'), 8192), complete: complete(doc), fresh: !!m.fresh, token: m.token, leaving: m.leaving === true };
  m.fresh = false;
  if (empty) { return s; }
  s.title = clip(text(doc, 'title'), 1000);
  s.mode = get(doc, 'documentMode');
  if (typeof s.mode != 'number') { s.mode = 0; }
  s.charset = clip(text(doc, 'characterSet') || text(doc, 'charset'), 40);
  try {
    if (typeof window.top.location.href == 'string') {
      s.topUrl = clip(window.top.location.href, 8192);
      s.topTitle = clip(text(window.top.document, 'title'), 1000);
    }
  } catch (e) { }
  return s;
}

// A message may quote the page; the kind of error does not.
function kind(e) {
  return (e instanceof TypeError ? 'TypeError' : e instanceof RangeError ? 'RangeError' : 'Error') +
    (typeof get(e, 'number') == 'number' ? ' ' + (e.number & 0xffff) : '');
}

// Nothing is thrown out of a script: the driver would repeat the message.
function answer(main) {
  var href = where(), empty = href == 'about:blank' || href == 'data:,', s, out;
  try {
    s = state(empty);
    if (!empty) {
      try { s.result = main(); } catch (e) { s.failed = kind(e); }
    }
    out = json(s);
  } catch (e2) {
    out = '{"failed":"Error"}';
    found = null;
  }
  out = href + '\n' + out;
  return found ? [out, found] : out;
}
