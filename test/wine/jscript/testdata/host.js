// Makes cscript a browser: it asks a server for code, runs it, and sends back what came of
// it, until the server has no more.

function quoted(s) {
  return '"' + s.replace(/[^ !#-\[\]-~]/g, function (c) {
    c = c.charCodeAt(0).toString(16);
    return '\\u' + '0000'.substring(c.length) + c;
  }) + '"';
}

// A script's answer: a text, or a text and an element.
function value(v) {
  if (v === undefined || v === null) { return 'null'; }
  if (typeof v == 'string') { return quoted(v); }
  if (v instanceof Array) { return '[' + value(v[0]) + ',' + value(v[1]) + ']'; }
  return '{"element-6066-11e4-a52e-4f735466cecf":"' + v.model.at + '"}';
}

// Runs a script as IEDriverServer does.
function execute(win, body, at) {
  var args = [], i, f;
  window = win;
  document = win.document;
  for (i = 0; i < at.length; i++) { args[i] = win.nodes[at[i]]; }
  f = eval('(function() { return function(){\n' + body + '\n};})();');
  return value(args.length ? f.call(win, args[0]) : f.call(win));
}

var window, document, pages = {}, answer = '{"result":null}';

(function () {
  var task, http = new ActiveXObject('MSXML2.XMLHTTP');
  for (;;) {
    http.open('POST', WScript.Arguments(0), false);
    http.send(answer);
    task = http.responseText;
    if (http.status != 200 || !task) { return; }
    try {
      answer = '{"result":' + eval(task) + '}';
    } catch (e) {
      answer = '{"error":' + quoted('' + (e.number & 0xffff) + ' ' + e.message) + '}';
    }
  }
})();
