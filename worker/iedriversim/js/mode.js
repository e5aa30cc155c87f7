  // hide takes away what a document mode lacks and adds what it has instead; what it
  // returns puts everything back.
  function hide(mode) {
    var undo = [], define = Object.defineProperty, describe = Object.getOwnPropertyDescriptor, parent = Object.getPrototypeOf,
        computed = window.getComputedStyle, add = EventTarget.prototype.addEventListener, drop = EventTarget.prototype.removeEventListener,
        dispatch = EventTarget.prototype.dispatchEvent, create = Document.prototype.createEvent, select = window.getSelection,
        fromPoint = Document.prototype.elementsFromPoint, matches = Element.prototype.matches, global = window['eval'],
        E = window.Element, N = window.Node, D = window.Document, H = window.HTMLElement, T = window.EventTarget,
        S = String, A = Array, O = Object, F = Function,
        fields = [HTMLInputElement.prototype, HTMLTextAreaElement.prototype, HTMLSelectElement.prototype];

    function put(o, name, d) {
      var old = describe(o, name);
      if (old && !old.configurable) return;
      undo.push(function () { if (old) define(o, name, old); else delete o[name]; });
      d.configurable = true;
      define(o, name, d);
    }
    function method(o, name, f) { put(o, name, {value: f, writable: true}); }
    function getter(o, name, f) { put(o, name, {get: f}); }
    function lack(o, names) {
      var list = names.split(' '), i;
      for (i = 0; i < list.length; i++) lackOne(o, list[i]);
    }
    function lackOne(o, name) {
      var p, old;
      for (p = o; p; p = parent(p)) {
        old = describe(p, name);
        if (!old || !old.configurable) continue;
        remember(p, name, old);
        delete p[name];
      }
    }
    function remember(p, name, old) { undo.push(function () { define(p, name, old); }); }

    // What every mode has and Chromium has not.
    getter(document, 'documentMode', function () { return mode; });
    getter(document, 'parentWindow', function () { return window; });
    getter(document, 'frames', function () { return window.frames; });
    getter(E.prototype, 'currentStyle', function () { return computed.call(window, this, null); });
    getter(E.prototype, 'runtimeStyle', function () { return this.style; });
    method(H.prototype, 'createTextRange', function () { return textRange(this); });
    if (mode === 5) getter(document, 'compatMode', function () { return 'BackCompat'; });
    if (mode >= 9) method(E.prototype, 'msMatchesSelector', matches);
    if (mode >= 10) method(document, 'msElementsFromPoint', fromPoint);
    if (mode <= 10) older();

    function older() {
      var targets = [window, document, E.prototype], i;
      for (i = 0; i < targets.length; i++) {
        method(targets[i], 'attachEvent', attach);
        method(targets[i], 'detachEvent', detach);
      }
      method(window, 'execScript', function (code) { global.call(window, code); return null; });
      method(document, 'createEventObject', function () { return {}; });
      method(document, 'fireEvent', fire);
      method(E.prototype, 'fireEvent', fire);
      put(document, 'selection', {value: {type: 'None', createRange: function () { return textRange(document.body); }, empty: function () {}}});
    }
    function attach(type, handler) {
      var target = this, listener = function (event) { return handler.call(window, event); };
      (document.__iedriversim || (define(document, '__iedriversim', {value: []}), document.__iedriversim)).push([target, type, handler, listener]);
      add.call(target, type.substring(2), listener);
      return true;
    }
    function detach(type, handler) {
      var list = document.__iedriversim || [], i;
      for (i = 0; i < list.length; i++) {
        if (list[i][0] !== this || list[i][1] !== type || list[i][2] !== handler) continue;
        drop.call(this, type.substring(2), list[i][3]);
        list.splice(i, 1);
        return;
      }
    }
    function fire(type, event) {
      var e = create.call(document, 'HTMLEvents');
      e.initEvent(type.substring(2), true, true);
      if (event && event.keyCode) e.keyCode = event.keyCode;
      return dispatch.call(this, e);
    }
    function textRange(el) {
      var end = false, range = {
        moveToElementText: function (inner) { el = inner; },
        collapse: function (start) { end = start === false; },
        move: function () { return 0; }, moveStart: function () { return 0; }, moveEnd: function () { return 0; },
        parentElement: function () { return el; },
        duplicate: function () { return textRange(el); },
        select: function () {
          var selection = select.call(window);
          if (el.select) { el.focus(); el.select(); } else selection.selectAllChildren(el);
          if (end) selection.collapseToEnd();
        }
      };
      define(range, 'text', {
        get: function () { return el.value === undefined ? el.innerText : el.value; },
        set: function (v) { if (el.value === undefined) el.innerText = v; else el.value = v; }
      });
      return range;
    }

    // What no mode has.
    lack(window, 'Promise Symbol Proxy Reflect fetch Headers Request Response AbortController URLSearchParams TextEncoder TextDecoder BigInt queueMicrotask structuredClone globalThis IntersectionObserver ResizeObserver customElements chrome trustedTypes requestIdleCallback visualViewport navigation scheduler crypto InputEvent WeakRef PointerEvent');
    lack(navigator, 'webdriver userAgentData clipboard');
    lack(document, 'elementsFromPoint append prepend replaceChildren currentScript scrollingElement fonts timeline');
    lack(E.prototype, 'closest matches webkitMatchesSelector append prepend before after replaceWith replaceChildren getAttributeNames toggleAttribute attachShadow checkVisibility animate computedStyleMap scrollIntoViewIfNeeded');
    lackOne(E.prototype, 'remove');
    lack(N.prototype, 'isConnected getRootNode');
    lack(HTMLFormElement.prototype, 'requestSubmit');
    lack(NodeList.prototype, 'forEach entries keys values');
    for (i = 0; i < fields.length; i++) lackOne(fields[i], 'labels');
    lack(S.prototype, 'includes startsWith endsWith repeat codePointAt normalize padStart padEnd matchAll replaceAll at trimStart trimEnd isWellFormed toWellFormed');
    lack(S, 'raw fromCodePoint');
    lack(A.prototype, 'includes find findIndex findLast findLastIndex fill flat flatMap at copyWithin entries keys values toSorted toReversed toSpliced');
    lack(A, 'from of fromAsync');
    lack(O, 'assign entries values fromEntries is getOwnPropertySymbols getOwnPropertyDescriptors hasOwn groupBy');
    lack(Number, 'isInteger isSafeInteger isFinite isNaN parseFloat parseInt EPSILON');
    lack(Math, 'trunc sign cbrt log2 log10 hypot fround clz32 imul');
    var events = ['Event', 'MouseEvent', 'KeyboardEvent', 'CustomEvent', 'UIEvent', 'FocusEvent'], i;
    for (i = 0; i < events.length; i++) hideConstructor(events[i]);
    function hideConstructor(name) { if (window[name]) put(window, name, {value: {prototype: window[name].prototype}, writable: true}); }
    if (mode < 11) {
      lack(window, 'Map Set WeakMap WeakSet MutationObserver Intl');
      lack(H.prototype, 'dataset');
    }
    if (mode < 10) {
      lack(window, 'requestAnimationFrame cancelAnimationFrame matchMedia btoa atob FileReader FormData WebSocket Worker Blob URL ArrayBuffer Uint8Array console');
      lack(E.prototype, 'classList');
      for (i = 0; i < fields.length; i++) lack(fields[i], 'placeholder validity checkValidity');
    }
    if (mode < 9) {
      lack(document, 'addEventListener removeEventListener dispatchEvent getElementsByClassName createEvent createRange createTreeWalker createNodeIterator evaluate head characterSet inputEncoding defaultView getSelection importNode adoptNode createElementNS contentType');
      lack(E.prototype, 'getElementsByClassName firstElementChild lastElementChild nextElementSibling previousElementSibling childElementCount namespaceURI localName getAttributeNS setAttributeNS');
      lack(N.prototype, 'textContent compareDocumentPosition isEqualNode');
      for (i = 0; i < 2; i++) lack(fields[i], 'selectionStart selectionEnd setSelectionRange');
      lack(window, 'getComputedStyle getSelection addEventListener removeEventListener dispatchEvent innerWidth innerHeight outerWidth outerHeight pageXOffset pageYOffset scrollX scrollY performance DOMParser XMLSerializer XPathResult Node HTMLElement EventTarget');
      lack(T.prototype, 'addEventListener removeEventListener dispatchEvent');
      lack(S.prototype, 'trim trimLeft trimRight');
      lack(A.prototype, 'map filter some every reduce reduceRight indexOf lastIndexOf forEach');
      lack(A, 'isArray');
      lack(Date, 'now');
      lack(Date.prototype, 'toISOString');
      lack(O, 'keys create defineProperties getOwnPropertyNames getPrototypeOf setPrototypeOf freeze seal preventExtensions isFrozen isSealed isExtensible');
      lackOne(F.prototype, 'bind');
    }
    if (mode < 8) {
      lack(window, 'JSON localStorage sessionStorage postMessage');
      lack(document, 'querySelector querySelectorAll');
      lack(E.prototype, 'querySelector querySelectorAll hasAttribute hasAttributes');
      lack(Date.prototype, 'toJSON');
      lack(O, 'defineProperty getOwnPropertyDescriptor');
    }
    return function () { while (undo.length) undo.pop()(); };
  }
