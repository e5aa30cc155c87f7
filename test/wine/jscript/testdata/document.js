// A small document model for JScript as Internet Explorer's document mode 7 has it, made of
// what dump.js took from a page. Host methods count their arguments and have no call and
// apply; what the mode lacks is not there; attributes are properties.

function host(most, f) {
  function method() {
    if (arguments.length > most) { throw new Error('Wrong number of arguments or invalid property assignment'); }
    return f.call(this, arguments[0], arguments[1]);
  }
  method.call = method.apply = null;
  return method;
}

function Rectangle(r, win) {
  this.left = r[0] - win.scrolledX;
  this.top = r[1] - win.scrolledY;
  this.right = r[2] - win.scrolledX;
  this.bottom = r[3] - win.scrolledY;
}

function Node(kind, name, value, win, parent) {
  this.nodeType = kind;
  this.nodeName = name;
  this.nodeValue = value;
  this.parentNode = parent;
  this.firstChild = this.lastChild = this.nextSibling = this.previousSibling = null;
  this.model = { win: win, at: win.nodes.length };
  win.nodes[win.nodes.length] = this;
  if (parent) {
    this.previousSibling = parent.lastChild;
    if (parent.lastChild) { parent.lastChild.nextSibling = this; } else { parent.firstChild = this; }
    parent.lastChild = this;
  }
}

// Comments too: so it is in the old modes.
function named(root, name) {
  var list = [];
  (function walk(n) {
    for (n = n.model.first; n; n = n.model.next) {
      if (n.nodeType != 3 && (name == '*' || n.model.name == name.toUpperCase())) { list[list.length] = n; }
      walk(n);
    }
  })(root);
  return list;
}

var RENAMED = { readonly: 'readOnly', maxlength: 'maxLength', rowspan: 'rowSpan', colspan: 'colSpan', usemap: 'useMap' };

var METHODS = {
  getAttribute: host(2, function (k) {
    var name = RENAMED[k] || k, v = this.model.attributes[k];
    if (k == 'for' || k == 'class') { return null; }
    if (this.model.properties[name] !== undefined && typeof this[name] != 'object') { return this[name]; }
    return v === undefined ? null : v;
  }),
  getAttributeNode: host(1, function (k) {
    var v = this.model.attributes[k];
    return this.model.properties[k] === undefined && v === undefined ? null : { specified: v !== undefined, value: v };
  }),
  getElementsByTagName: host(1, function (name) { return named(this, name); }),
  getBoundingClientRect: host(0, function () { return new Rectangle(this.model.boxes[2], this.model.win); }),
  getClientRects: host(0, function () {
    var list = [], i;
    for (i = 3; i < this.model.boxes.length; i++) { list[i - 3] = new Rectangle(this.model.boxes[i], this.model.win); }
    return list;
  }),
  scrollIntoView: host(1, function () {
    var win = this.model.win, r = this.model.boxes[2], top = (r[1] + r[3] - win.height) / 2;
    win.scrolledY = Math.max(0, top);
  }),
  focus: host(0, function () { this.model.win.document.activeElement = this; note(this, 'focus'); }),
  select: host(0, function () { note(this, 'select'); }),
  createTextRange: host(0, function () {
    var el = this, end = '';
    return {
      moveToElementText: host(1, function (inner) { el = inner; }),
      collapse: host(1, function (start) { end = start ? 'start ' : 'end '; }),
      select: host(0, function () { note(el, end + 'range'); })
    };
  }),
  fireEvent: host(2, function (type, e) {
    if (type == 'oninput') { throw new Error('Invalid argument.'); } // there is none
    note(this, type + (e && e.keyCode ? ' ' + e.keyCode : ''));
    if (this.model.handlers[type]) { this.model.handlers[type](this); }
    return true;
  })
};

// What was done to the page, for the tests.
function note(el, what) {
  var done = el.model.win.done;
  done[done.length] = (el.model.attributes.id || el.model.name) + ' ' + what;
}

function decorate(el, d, win) {
  var k, attributes = d[1], properties = d[2], style = d[3], above = el.parentNode && el.parentNode.model.visibility;
  el.model.name = d[0];
  el.model.attributes = attributes;
  el.model.properties = properties;
  el.model.boxes = d[4];
  el.model.handlers = {};
  el.model.visibility = style.visibility;
  el.model.position = style.position;
  el.model.pointerEvents = style.pointerEvents;
  for (k in properties) { el[k] = properties[k]; }
  for (k in METHODS) { el[k] = METHODS[k]; }
  if (!/^(INPUT|TEXTAREA)$/.test(d[0])) { el.select = undefined; }
  if (!/^(INPUT|TEXTAREA|BUTTON|BODY)$/.test(d[0])) { el.createTextRange = undefined; }
  if (d[4][0] !== null) {
    el.offsetWidth = d[4][0];
    el.offsetHeight = d[4][1];
  }
  el.onclick = attributes.onclick === undefined ? null : host(1, function () { });
  el.currentStyle = {
    display: style.display,
    overflow: style.overflow,
    visibility: style.visibility == (above || 'visible') ? 'inherit' : style.visibility,
    filter: style.opacity < 1 ? 'alpha(opacity=' + style.opacity * 100 + ')' : ''
  };
}

function build(d, win, parent) {
  var n, i;
  if (typeof d == 'string') {
    n = new Node(3, '#text', d, win, parent);
  } else if (d.length == 1) {
    n = new Node(8, '#comment', d[0], win, parent);
    n.model.name = '#comment';
  } else {
    n = new Node(1, d[0], null, win, parent);
    decorate(n, d, win);
    for (i = 0; i < d[5].length; i++) { build(d[5][i], win, n); }
  }
  return n;
}

// Names of controls hide properties of their form.
function clobber(form) {
  var list = named(form, '*'), i, m;
  for (i = 0; i < list.length; i++) {
    m = list[i].model;
    if (!/^(INPUT|SELECT|TEXTAREA|BUTTON)$/.test(m.name)) { continue; }
    list[i].form = form;
    if (m.attributes.name) { form[m.attributes.name] = list[i]; }
    if (m.attributes.id) { form[m.attributes.id] = list[i]; }
  }
}

function hit(win, x, y) {
  var best = null, i, j, n, b;
  for (i = 0; i < win.nodes.length; i++) {
    n = win.nodes[i];
    if (n.nodeType != 1 || n.model.visibility == 'hidden' || n.model.pointerEvents == 'none') { continue; }
    b = n.model.boxes;
    for (j = 3; j < b.length; j++) {
      if (b[j][0] <= x + win.scrolledX && x + win.scrolledX < b[j][2] && b[j][1] <= y + win.scrolledY && y + win.scrolledY < b[j][3] && !(best && over(best) && !over(n))) { best = n; }
    }
  }
  return best && best.model.properties.useMap ? area(best, x + win.scrolledX - best.model.boxes[2][0], y + win.scrolledY - best.model.boxes[2][1]) : best;
}

// The part of an image, if it has one there.
function area(image, x, y) {
  var list = named(image.model.win.document, 'AREA'), i, m, c;
  for (i = 0; i < list.length; i++) {
    m = list[i].model;
    c = (m.attributes.coords || '').split(',');
    if ('#' + m.parent.model.properties.name == image.model.properties.useMap && c[0] <= x && x < c[2] && c[1] <= y && y < c[3]) { return list[i]; }
  }
  return image;
}

function over(n) {
  for (; n && n.model.attributes; n = n.model.parent) {
    if (n.model.position == 'absolute' || n.model.position == 'fixed') { return true; }
  }
  return false;
}

// The window that shows what was dumped.
function show(d) {
  var win = { nodes: [], done: [], scrolledX: 0, scrolledY: 0, width: d.width, height: d.height, event: null }, doc, i, j, n, m;
  doc = new Node(9, '#document', null, win, null);
  win.document = doc;
  doc.documentElement = build(d.root, win, doc);
  for (i = 0; i < win.nodes.length; i++) { // of its own: a form's are hidden
    n = win.nodes[i];
    n.model.first = n.firstChild;
    n.model.next = n.nextSibling;
    n.model.parent = n.parentElement = n.parentNode;
    n.childNodes = [];
    if (n.parentNode) { n.parentNode.childNodes[n.parentNode.childNodes.length] = n; }
  }
  doc.body = win.nodes[d.body + 1];
  doc.activeElement = win.nodes[d.active + 1] || doc.body;
  doc.title = d.title;
  doc.readyState = d.readyState;
  doc.documentMode = 7;
  doc.charset = 'utf-8';
  for (i = 0; i < d.rows.length; i++) {
    n = win.nodes[d.rows[i][0] + 1];
    n.rows = [];
    for (j = 1; j < d.rows[i].length; j++) {
      m = win.nodes[d.rows[i][j] + 1];
      m.cells = [];
      n.rows[j - 1] = m;
    }
  }
  for (i = 1; i < win.nodes.length; i++) {
    n = win.nodes[i];
    if ((n.model.name == 'TD' || n.model.name == 'TH') && n.parentNode.cells) { n.parentNode.cells[n.parentNode.cells.length] = n; }
    if (n.model.name == 'SELECT') { n.options = named(n, 'OPTION'); }
  }
  for (i = 1; i < win.nodes.length; i++) {
    if (win.nodes[i].model.name == 'FORM') { clobber(win.nodes[i]); }
  }
  doc.getElementById = host(1, function (id) {
    for (i = 1; i < win.nodes.length; i++) {
      m = win.nodes[i].model.attributes;
      if (m && ((m.id || '').toLowerCase() == id.toLowerCase() || (m.name || '').toLowerCase() == id.toLowerCase())) { return win.nodes[i]; }
    }
    return null;
  });
  doc.getElementsByName = host(1, function (name) {
    var list = [];
    for (i = 1; i < win.nodes.length; i++) {
      m = win.nodes[i].model;
      if (m.attributes && m.properties.name !== undefined && (m.attributes.name == name || m.attributes.id == name)) { list[list.length] = win.nodes[i]; }
    }
    return list;
  });
  doc.getElementsByTagName = host(1, function (name) { return named(doc, name); });
  doc.elementFromPoint = host(2, function (x, y) { return hit(win, x, y); });
  doc.createEventObject = host(0, function () { return {}; });
  win.location = { href: d.href };
  win.parent = win.top = win.self = win.window = win;
  win.opener = null;
  win.frames = { length: 0 };
  win.focus = host(0, function () { });
  win.attachEvent = host(2, function (type, f) { win.done[win.done.length] = 'window ' + type; });
  doc.parentWindow = win;
  return win;
}

// The names that the program has.
function globals() {
  var list = [], k;
  for (k in program) { list[list.length] = k; }
  return '"' + list.sort().join(' ') + '"';
}

var program = this;
