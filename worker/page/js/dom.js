// Elements: what they show, whether they are displayed, finding them.

var SPACE = /[ \t\n\r\f\v\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+/g;
var INK = /[^ \t\n\r\f\v\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/;
var UNTIDY = /^ | $|  |[\t\n\r\f\v\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/;
var INLINE = set('A ABBR ACRONYM B BDI BDO BIG CITE CODE DATA DEL DFN EM FONT I INS KBD LABEL MARK NOBR Q RB RP RT RUBY S SAMP SMALL SPAN STRIKE STRONG SUB SUP TIME TT U VAR WBR');
var SKIPPED = set('APPLET AUDIO CANVAS DATALIST EMBED HEAD IFRAME FRAME NOFRAMES NOSCRIPT OBJECT SCRIPT SELECT STYLE TEMPLATE TEXTAREA TITLE VIDEO XML');
var FLAT = set('AREA OPTION OPTGROUP FRAME');
var CONTROL = set('BUTTON INPUT SELECT TEXTAREA OPTION OPTGROUP FIELDSET');

function set(words) {
  var out = {}, list = words.split(' '), i;
  for (i = 0; i < list.length; i++) { out[list[i]] = true; }
  return out;
}

function tag(el) {
  var n = el.nodeName;
  if (typeof n != 'string') { n = bare(el, 'nodeName') || 'FORM'; }
  return n < 'a' ? n : n.toUpperCase();
}

// 1 for an element, 3 for a text.
function kindOf(n) {
  var t = n.nodeType;
  return typeof t == 'number' ? t : 1;
}

// A neighbour in the tree (firstChild, nextSibling, parentNode).
function link(n, k) {
  var name = n.nodeName, v;
  if (name === 'FORM' || name === 'form' || typeof name != 'string') {
    v = bare(n, k);
    if (v !== undefined) { return v; }
    if (hides(n, k)) { return around(n, k); }
  }
  return n[k];
}

// In old modes, which have no prototypes: is this a control of the form, by its name?
function hides(form, k) {
  var v = form[k];
  return !!v && (text(v, 'name') === k || text(v, 'id') === k || v.nodeType === undefined);
}

// The neighbour by another way; null when that is hidden too.
function around(form, k) {
  var parent, list, i;
  if (k == 'parentNode') { return hides(form, 'parentElement') ? null : form.parentElement; }
  if (k != 'firstChild') { parent = link(form, 'parentNode'); }
  list = get(parent || form, 'childNodes');
  if (!list || list.nodeType) { return null; }
  if (!parent) { return list[0] || null; }
  for (i = 0; i < list.length; i++) {
    if (list[i] == form) { return list[k == 'nextSibling' ? i + 1 : i - 1] || null; }
  }
  return null;
}

function isField(el) {
  var name = tag(el);
  return name == 'INPUT' || name == 'TEXTAREA';
}

function up(el, name) {
  while (el && kindOf(el) == 1 && tag(el) != name) { el = link(el, 'parentNode'); }
  return el && kindOf(el) == 1 ? el : null;
}

function within(el, outer) {
  while (el && el != outer) { el = link(el, 'parentNode'); }
  return !!el;
}

function attr(el, k) {
  var v = call(el, 'getAttribute', k);
  return typeof v == 'string' ? v : '';
}

function tidy(s) {
  s = s.replace(SPACE, ' ');
  if (s.charAt(0) == ' ') { s = s.substring(1); }
  return s.charAt(s.length - 1) == ' ' ? s.substring(0, s.length - 1) : s;
}

function style(el, k) {
  var s;
  try { s = el.currentStyle; } catch (e) { }
  try { return s ? s[k] : window.getComputedStyle(el, null)[k]; } catch (e2) { return ''; }
}

function number(el, k) {
  var v = get(el, k);
  if (v && typeof v == 'object') { v = bare(el, k); }
  return typeof v == 'number' ? v : undefined;
}

function rect(el) {
  var r = call(el, 'getBoundingClientRect');
  return r && r.right > r.left && r.bottom > r.top ? r : null;
}

var VISIBLE = { visibilityProperty: true };

// Neither display:none nor visibility:hidden, here or above.
function rendered(el) {
  var v, list;
  try { if (el.checkVisibility) { v = el.checkVisibility(VISIBLE); } } catch (e) { }
  if (v === true) { return true; }
  if (style(el, 'display') == 'contents') {
    el = link(el, 'parentNode');
    return !!el && kindOf(el) == 1 && rendered(el);
  }
  if (v === false) { return false; }
  if (!number(el, 'offsetWidth') && !number(el, 'offsetHeight')) {
    list = call(el, 'getClientRects');
    if (!list || !list.length) { return false; }
  }
  do {
    v = style(el, 'visibility');
    el = link(el, 'parentNode');
  } while (v == 'inherit' && el && kindOf(el) == 1);
  return v != 'hidden' && v != 'collapse';
}

// Has a size, or something in it has one and is not clipped away.
function sized(el, depth) {
  var w = number(el, 'offsetWidth'), c, i = 0;
  if (w === undefined ? rect(el) : w > 0 && number(el, 'offsetHeight') > 0) { return true; }
  if (depth > 8 || style(el, 'overflow') == 'hidden') { return false; }
  for (c = link(el, 'firstChild'); c && i < 50; c = link(c, 'nextSibling'), i++) {
    if (kindOf(c) == 1 && rendered(c) && sized(c, depth + 1)) { return true; }
  }
  return false;
}

function imageOf(area) {
  var owner = up(area, 'MAP'), name = owner && (text(owner, 'name') || text(owner, 'id')), list, i;
  if (!name) { return null; }
  list = call(doc, 'getElementsByTagName', 'img') || [];
  for (i = 0; i < list.length; i++) {
    if (attr(list[i], 'usemap').replace(/^.*#/, '') == name) { return list[i]; }
  }
  return null;
}

function displayed(el) {
  var name = tag(el);
  if (name == 'FRAME' || name == 'BODY' || name == 'HTML') { return true; }
  if (FLAT[name] !== true) { // the usual case; a page may have thousands
    try { if (el.offsetWidth > 0 && el.offsetHeight > 0 && window.getComputedStyle(el, null).visibility === 'visible') { return true; } } catch (e) { }
  }
  if (name == 'AREA') { el = imageOf(el); }
  if (name == 'OPTION' || name == 'OPTGROUP') { el = up(el, 'SELECT'); }
  return !!el && !(name == 'INPUT' && text(el, 'type') == 'hidden') && rendered(el) && sized(el, 0);
}

// Opacity hides from the eye, not from the mouse.
function seen(el) {
  if (!displayed(el)) { return false; }
  for (; el && kindOf(el) == 1; el = link(el, 'parentNode')) {
    if (style(el, 'opacity') === '0' || /alpha\(opacity=0\)/i.test(style(el, 'filter'))) { return false; }
  }
  return true;
}

function disabled(el) {
  var inner = null, name = tag(el);
  if (CONTROL[name] !== true) { return false; }
  if (get(el, 'disabled') === true) { return true; }
  for (; el && kindOf(el) == 1; inner = el, el = link(el, 'parentNode')) {
    name = tag(el);
    if (name == 'FIELDSET' && get(el, 'disabled') === true && !(inner && tag(inner) == 'LEGEND') ||
      name == 'OPTGROUP' && get(el, 'disabled') === true) { return true; }
  }
  return false;
}

// Reads the visible text under root, white space collapsed: max characters from
// from on, and how many there are in all (to the end only if whole). Visit, if
// given, is called for each element in document order.
function read(root, from, max, whole, visit) {
  var out = '', total = 0, gap = false, after, untidy, stack = [], blocks = [], depth = 0, parent = root, last = null, shown,
    n = link(root, 'firstChild'), c, s, a, b, type, name, form, lead, known, block, skipped;
  while (n) {
    c = null;
    form = false;
    // This loop runs once a node, seldom compiled: it calls as little as it can.
    type = n.nodeType;
    if (type === 3) {
      s = n.nodeValue;
      a = after = false;
      untidy = UNTIDY.test(s);
      if (untidy && !INK.test(s)) {
        gap = true;
      } else if (s) {
        if (parent != last) { last = parent; shown = rendered(parent); }
        if (shown) {
          if (untidy) {
            s = s.replace(SPACE, ' ');
            a = s.charAt(0) == ' ';
            after = s.charAt(s.length - 1) == ' ';
            s = s.substring(a ? 1 : 0, s.length - (after ? 1 : 0));
          }
          lead = (gap || a) && total ? 1 : 0;
          a = from - total;
          b = a + max;
          if (b > 0 && a < s.length + lead) {
            if (lead) { s = ' ' + s; }
            lead = 0;
            if (a > 0 && paired(s, a)) { a++; }
            if (b < s.length && paired(s, b)) { b--; }
            out += s.substring(a < 0 ? 0 : a, b);
          }
          total += s.length + lead;
          gap = after;
          if (!whole && total >= from + max) { break; }
        }
      }
    } else if (type === 1 || typeof type != 'number') {
      name = n.nodeName;
      if (typeof name != 'string' || name > 'Z') { name = tag(n); }
      if (name !== known) {
        known = name;
        block = INLINE[name] !== true;
        skipped = SKIPPED[name] === true || name.charAt(0) == '/';
      }
      form = name === 'FORM';
      if (visit) { visit(n, name); }
      if (block) { gap = true; }
      if (!skipped) { c = form ? link(n, 'firstChild') : n.firstChild; }
    }
    if (c) {
      stack[depth] = n;
      blocks[depth++] = block;
      parent = n;
      n = c;
      continue;
    }
    while (!(c = form ? link(n, 'nextSibling') : n.nextSibling) && depth) {
      n = stack[--depth];
      form = n.nodeName === 'FORM' || typeof n.nodeName != 'string';
      if (blocks[depth]) { gap = true; }
      parent = depth ? stack[depth - 1] : root;
    }
    n = c;
  }
  return { text: out, total: total };
}

function paired(s, i) {
  var high = s.charCodeAt(i - 1), low = s.charCodeAt(i);
  return high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000;
}

function words(el, max) {
  return read(el, 0, max, false).text;
}

function optionText(o) {
  return tidy(text(o, 'text'));
}

function optionValue(o) {
  var v = text(o, 'value'), node;
  if (v) { return v; }
  node = call(o, 'getAttributeNode', 'value');
  return node && node.specified !== false ? v : text(o, 'text');
}

// null: there is none. undefined: a script cannot tell here, the driver can.
function find(loc, fits) {
  var value = loc.value, el, list;
  if (loc.by == 'xpath') { return undefined; }
  if (loc.by == 'id') {
    el = call(doc, 'getElementById', value);
    if (!el || text(el, 'id') === value && (!fits || fits(el))) { return el || null; }
    list = call(doc, 'getElementsByTagName', '*');
  } else if (loc.by == 'name') {
    list = call(doc, 'getElementsByName', value);
    el = pick(list, loc, fits);
    if (el || !(get(doc, 'documentMode') < 10)) { return el; }
    list = call(doc, 'getElementsByTagName', '*');
  } else if (loc.by == 'css') {
    list = call(doc, 'querySelectorAll', value);
    if (!list) { return undefined; }
  } else {
    list = call(doc, 'getElementsByTagName', 'a');
  }
  return pick(list, loc, fits);
}

function pick(list, loc, fits) {
  var i, el, value = loc.value, wanted = loc.by == 'linkText' && tidy(value);
  for (i = 0; list && i < list.length; i++) {
    el = list[i];
    if (loc.by == 'id' && text(el, 'id') !== value) { continue; }
    if (loc.by == 'name' && (text(el, 'name') || attr(el, 'name')) !== value) { continue; }
    if (wanted !== false && (!wanted || words(el, wanted.length + 1) !== wanted)) { continue; }
    if (!fits || fits(el)) { return el; }
  }
  return null;
}
