package main

import (
	"net/http"
	"slices"
	"strings"
)

// route is one line of the driver's table of commands. Its name is what the settings
// call the command.
type route struct {
	method, path, name string
	run                func(*session, *call) (any, error) // nil: routed, but not implemented
	process            func(*driver, *call) (any, error)  // of the process, not of a session
	duringAlert        bool                               // allowed while a dialog is open
	opens              bool                               // may open windows
}

// routes returns the table. Anything else is an unknown command.
func routes() []route {
	get, post, del := http.MethodGet, http.MethodPost, http.MethodDelete
	const s, e = "/session/:id", "/session/:id/element/:element"
	process := func(name, method, path string, run func(*driver, *call) (any, error)) route {
		return route{name: name, method: method, path: path, process: run}
	}
	free := func(r route) route { r.duringAlert = true; return r }
	opens := func(r route) route { r.opens = true; return r }
	on := func(name, method, path string, run func(*session, *call) (any, error)) route {
		return route{name: name, method: method, path: path, run: run}
	}
	return []route{
		process("status", get, "/status", (*driver).status),
		process("sessions", get, "/sessions", (*driver).sessions),
		process("newSession", post, "/session", (*driver).newSession),
		free(on("getSession", get, s, (*session).describe)),
		free(on("quit", del, s, (*session).describe)), // driver.quit does the work

		free(on("getTimeouts", get, s+"/timeouts", (*session).getTimeouts)),
		free(on("setTimeouts", post, s+"/timeouts", (*session).setTimeouts)),
		opens(on("get", post, s+"/url", (*session).navigate)),
		on("getUrl", get, s+"/url", (*session).url),
		opens(on("back", post, s+"/back", (*session).history)),
		opens(on("forward", post, s+"/forward", (*session).history)),
		opens(on("refresh", post, s+"/refresh", (*session).history)),
		on("getTitle", get, s+"/title", (*session).pass),
		on("getSource", get, s+"/source", (*session).source),

		free(on("getWindow", get, s+"/window", (*session).getWindow)),
		on("closeWindow", del, s+"/window", (*session).closeWindow),
		free(on("switchToWindow", post, s+"/window", (*session).switchToWindow)),
		free(on("getWindowHandles", get, s+"/window/handles", (*session).getWindowHandles)),
		on("newWindow", post, s+"/window/new", (*session).newWindow),
		on("getWindowRect", get, s+"/window/rect", (*session).getRect),
		on("setWindowRect", post, s+"/window/rect", (*session).setRect),
		on("maximize", post, s+"/window/maximize", (*session).pass),
		on("minimize", post, s+"/window/minimize", (*session).pass),
		on("fullscreen", post, s+"/window/fullscreen", (*session).pass),

		on("switchToFrame", post, s+"/frame", (*session).switchToFrame),
		on("switchToParentFrame", post, s+"/frame/parent", (*session).pass),
		on("getActiveElement", get, s+"/element/active", (*session).activeElement),
		on("findElement", post, s+"/element", (*session).find),
		on("findElements", post, s+"/elements", (*session).find),
		on("findChildElement", post, e+"/element", (*session).find),
		on("findChildElements", post, e+"/elements", (*session).find),
		on("isSelected", get, e+"/selected", (*session).ask),
		on("isEnabled", get, e+"/enabled", (*session).ask),
		on("isDisplayed", get, e+"/displayed", (*session).ask),
		on("getText", get, e+"/text", (*session).ask),
		on("getTagName", get, e+"/name", (*session).ask),
		on("getRect", get, e+"/rect", (*session).ask),
		on("getAttribute", get, e+"/attribute/:name", (*session).ask),
		on("getProperty", get, e+"/property/:name", (*session).ask),
		on("getCss", get, e+"/css/:name", (*session).ask),
		on("equals", get, e+"/equals/:other", (*session).equals),
		opens(on("click", post, e+"/click", (*session).click)),
		opens(on("clear", post, e+"/clear", (*session).clear)),
		opens(on("sendKeys", post, e+"/value", (*session).sendKeys)),

		opens(on("executeScript", post, s+"/execute/sync", (*session).execute)),
		opens(on("executeAsyncScript", post, s+"/execute/async", (*session).execute)),

		on("getCookies", get, s+"/cookie", (*session).pass),
		on("addCookie", post, s+"/cookie", (*session).pass),
		on("deleteCookies", del, s+"/cookie", (*session).pass),
		on("getCookie", get, s+"/cookie/:name", (*session).pass),
		on("deleteCookie", del, s+"/cookie/:name", (*session).pass),
		opens(on("actions", post, s+"/actions", (*session).actions)),
		on("releaseActions", del, s+"/actions", (*session).pass),

		free(opens(on("acceptAlert", post, s+"/alert/accept", (*session).closeAlert))),
		free(opens(on("dismissAlert", post, s+"/alert/dismiss", (*session).closeAlert))),
		free(on("getAlertText", get, s+"/alert/text", (*session).alertText)),
		free(on("setAlertText", post, s+"/alert/text", (*session).setAlertText)),
		free(on("setAlertCredentials", post, s+"/alert/credentials", (*session).credentials)),

		free(on("screenshot", get, s+"/screenshot", (*session).screenshot)),
		free(on("elementScreenshot", get, e+"/screenshot", (*session).screenshot)),

		on("imeAvailable", get, s+"/ime/available_engines", nil),
		on("imeActive", get, s+"/ime/active_engine", nil),
		on("imeActivated", get, s+"/ime/activated", nil),
		on("imeDeactivate", post, s+"/ime/deactivate", nil),
		on("imeActivate", post, s+"/ime/activate", nil),
		on("backgroundScript", post, s+"/ie/script/background", nil),
	}
}

// match finds the route of a request, or the verbs that its path has.
func match(method, path string) (found *route, vars map[string]string, verbs []string) {
	segments := strings.Split(path, "/")
	table := routes()
	for i := range table {
		v, ok := fits(strings.Split(table[i].path, "/"), segments)
		if !ok {
			continue
		}
		if table[i].method == method {
			return &table[i], v, nil
		}
		verbs = append(verbs, table[i].method)
	}
	slices.Sort(verbs)
	return nil, nil, verbs
}

// fits takes "/element/active" for the literal before any element of that name.
func fits(pattern, segments []string) (map[string]string, bool) {
	if len(pattern) != len(segments) {
		return nil, false
	}
	vars := map[string]string{}
	for i, p := range pattern {
		if name, ok := strings.CutPrefix(p, ":"); ok {
			vars[name] = segments[i]
		} else if p != segments[i] {
			return nil, false
		}
	}
	return vars, true
}
