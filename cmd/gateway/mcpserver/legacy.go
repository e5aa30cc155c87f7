package mcpserver

import "iemesh/api"

// legacyInstructions go on with those of profile ie.
const legacyInstructions = `

For whole forms use fill_form, for tables read_table. Answer dialogs with handle_dialog.`

// legacyTools is the profile legacy: what legacy applications need beyond
// profile ie.
func legacyTools() []*tool {
	selector := map[string]string{"target": "selector"}
	return []*tool{{
		name: "handle_dialog", op: api.HandleDialog.Entry, run: (*call).act,
		description: "Answers the open alert, confirm or prompt: accept is OK, dismiss is Cancel, text is for a prompt.",
		hints:       hints{destructive: true, openWorld: true},
	}, {
		name: "press_key", op: api.Press.Entry, run: (*call).act, rename: selector, status: "ok",
		description: "Presses a key once, in the element or else where the focus is: Enter, Tab, ArrowDown, F8, a, Control+A, Shift+Tab. F5 reloads the page. For texts use type.",
		hints:       hints{destructive: true, openWorld: true},
	}, {
		name: "fill_form", op: api.FillForm.Entry, run: (*call).act, rename: selector, items: "fields",
		description: "Fills in several fields in order, stops at the first that fails, and tells what became of each. It does not send the form.",
		hints:       hints{destructive: true, openWorld: true},
	}, {
		name: "read_table", op: api.ReadTable.Entry, run: (*call).act, rename: selector,
		description: "Reads a table as text; use it for long tables. Merged cells are repeated, hidden rows and tables inside cells left out. When truncated, read on with offset.",
		hints:       hints{readOnly: true, idempotent: true, openWorld: true},
	}, {
		name: "upload_file", op: api.Upload.Entry, run: (*call).act, rename: selector, status: "ok",
		description: "Puts a file into an <input type=file>. It does not send the form.",
		hints:       hints{destructive: true, openWorld: true},
	}}
}
