// Runs in Chromium, and gives the document as document.js takes it: what is in it, and what
// the layout made of it. A node is [name, attributes, properties, style, boxes, children],
// a text is a string, a comment [text]. Boxes: offset width and height, then the rectangles.
var order = [];

// What names of controls hide in a form, too.
function own(prototype, k, n) { return Object.getOwnPropertyDescriptor(prototype, k).get.call(n); }

function plain(e, names) {
  var out = {};
  names.forEach(function (k) {
    var v = e[k];
    if (typeof v === 'string' || typeof v === 'number' || typeof v === 'boolean') { out[k] = v; }
  });
  return out;
}

function attributes(e) {
  var out = {};
  Array.from(e.attributes).forEach(function (a) { out[a.name] = a.value; });
  return out;
}

function properties(e) {
  var names = ['id', 'name', 'title', 'className', 'type', 'value', 'alt', 'href', 'htmlFor', 'disabled', 'readOnly', 'checked', 'selected', 'multiple',
    'selectedIndex', 'maxLength', 'rowSpan', 'colSpan', 'clientWidth', 'clientHeight', 'isContentEditable', 'useMap'];
  if (e.isContentEditable === true || e.nodeName === 'OPTION') { names.push('innerText'); }
  if (e.nodeName === 'OPTION' || e.nodeName === 'A') { names.push('text'); }
  return plain(e, names);
}

function boxes(e) {
  function four(r) { return [r.left + scrollX, r.top + scrollY, r.right + scrollX, r.bottom + scrollY]; }
  var html = e instanceof HTMLElement;
  return [html ? own(HTMLElement.prototype, 'offsetWidth', e) : null, html ? own(HTMLElement.prototype, 'offsetHeight', e) : null, four(e.getBoundingClientRect())]
    .concat(Array.from(e.getClientRects()).map(four));
}

function node(n) {
  var type = own(Node.prototype, 'nodeType', n);
  order.push(n);
  if (type === 3) { return n.nodeValue; }
  if (type !== 1) { return [n.nodeValue || '']; }
  return [own(Node.prototype, 'nodeName', n), attributes(n), properties(n), plain(getComputedStyle(n), ['display', 'visibility', 'opacity', 'overflow', 'position', 'pointerEvents']),
    boxes(n), Array.from(own(Node.prototype, 'childNodes', n)).map(node)];
}

var root = node(document.documentElement), at = function (n) { return order.indexOf(n); };
return JSON.stringify({
  root: root,
  body: at(document.body),
  active: at(document.activeElement),
  rows: order.map(function (n, i) { return n.rows && n.nodeName === 'TABLE' ? [i].concat(Array.from(n.rows).map(at)) : 0; }).filter(Boolean),
  href: location.href,
  title: document.title,
  readyState: document.readyState,
  width: innerWidth,
  height: innerHeight
});
