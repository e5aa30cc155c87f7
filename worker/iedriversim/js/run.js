(function (run, given, mode, later) {
  'use strict';
  var isArray = Array.isArray, write = window.JSON && JSON.stringify, point = 9223372036854775808, broken = {};

  function quote(s) {
    var out = '"', from = 0, i, c, hex;
    for (i = 0; i < s.length; i++) {
      c = s.charCodeAt(i);
      if (c === 34 || c === 92) {
        out += s.substring(from, i) + '\\';
        from = i;
      } else if (c < 32 || c > 126) {
        hex = '000' + c.toString(16);
        out += s.substring(from, i) + '\\u' + hex.substring(hex.length - 4);
        from = i + 1;
      }
    }
    return out + s.substring(from) + '"';
  }

  function number(v) {
    if (v !== v) return 'null';
    if (v >= point || v < -point) return '-9223372036854775808';
    return v === 0 ? '0' : String(v);
  }

  // marshal converts a result as the driver does. An object is {"o": …} and an element {"e": index}.
  function marshal(value) {
    var elements = [], path = [];
    function text(v) {
      var i, parts = [], out;
      switch (typeof v) {
        case 'undefined': case 'symbol': case 'bigint': return 'null';
        case 'boolean': return v ? 'true' : 'false';
        case 'number': return number(v);
        case 'string': return quote(v);
        case 'function': if (v.length === 0) return '[]'; if (path.length) return 'null'; throw broken;
      }
      if (v === null) return 'null';
      if (v.window === v) throw {message: 'Returning window object from JavaScript is not supported'};
      if (v instanceof Node && v.nodeType === 1) return '{"e":' + (elements.push(v) - 1) + '}';
      for (i = 0; i < path.length; i++) if (path[i] === v) throw broken;
      path.push(v);
      if (isArray(v) || typeof v.length === 'number') {
        for (i = 0; i < v.length; i++) {
          if (!(i in v)) throw broken;
          parts.push(text(v[i]));
        }
        out = '[' + parts.join(',') + ']';
      } else if (typeof v.toJSON === 'function' && !(mode < 8 && v instanceof Date)) {
        out = text(v.toJSON());
      } else {
        for (i in v) parts.push(quote(i) + ':' + text(v[i]));
        out = '{"o":{' + parts.join(',') + '}}';
      }
      path.pop();
      return out;
    }
    try {
      return ['{"v":' + text(value) + '}', elements];
    } catch (e) {
      if (e !== broken && !(e instanceof Error)) return failure(e);
      try {
        if (mode < 8) return failure({message: "'JSON' is undefined"});
        return ['{"j":' + quote(write(value) || 'null') + '}', []];
      } catch (e2) {
        return failure(e2);
      }
    }
  }

  function failure(e) {
    var message = e && typeof e === 'object' && e.message;
    return [message ? '{"f":' + quote(String(message)) + '}' : '{"f":""}', []];
  }

  var restore = hide(mode), value, args = [], i;
  for (i = 0; i < given.length; i++) args.push(given[i]);
  if (later) args[args.length - 1] = function (v) { later(marshal(v)); };
  document.__webdriver_script_fn = run;
  try {
    value = run.apply(window, args);
  } catch (e) {
    value = failure(e);
    if (later) later(value);
    return value;
  } finally {
    restore();
  }
  return later ? undefined : marshal(value);

  //MODE
})
