package doctor

import (
	"fmt"
	"strings"
)

// edgePolicy returns the value that Edge obeys, and where it is: that of the
// machine before the user's.
func (x *examination) edgePolicy(name string) (v Value, at Place, ok bool) {
	for _, root := range []Root{Machine, User} {
		at = Place{Root: root, Path: `Software\Policies\Microsoft\Edge`, Name: name}
		if v, ok = x.read(at); ok {
			return v, at, true
		}
	}
	return Value{}, Place{}, false
}

// edgePolicies looks at the policies of Edge that matter to IE mode.
func (x *examination) edgePolicies() {
	f := x.check("policy.ie-mode", "Edge may use IE mode", "InternetExplorerIntegrationLevel absent or 1", "0 forbids IE mode, 2 opens Internet Explorer instead.")
	if v, at, ok := x.edgePolicy("InternetExplorerIntegrationLevel"); !ok {
		f.ok("no policy")
	} else if n, is := v.number(); is && n == 1 {
		f.ok("1")
	} else {
		f.problem("%s is %s", at, v).mend("", remove(at))
	}

	f = x.check("policy.user-data-dir", "Edge keeps its profile where it is told", "no UserDataDir", "A policy for it gives every Edge one profile: a second one hands over to the first, and the driver does not find it.")
	if v, at, ok := x.edgePolicy("UserDataDir"); ok {
		f.problem("%s is %s", at, v).mend("", remove(at))
	} else {
		f.ok("no policy")
	}

	x.trackingPrevention()
	x.edgeSettings("policy.site-list", "Site list of IE mode", "A window that goes to a page which the list gives to Edge may leave IE mode, and is lost then.",
		"InternetExplorerIntegrationSiteList", "InternetExplorerIntegrationCloudSiteList")
	x.edgeSettings("policy.ie-mode-details", "Further policies of IE mode", "The driver needs none of them. Pages from files (file:) need InternetExplorerIntegrationLocalFileAllowed.",
		"InternetExplorerIntegrationReloadInIEModeAllowed", "InternetExplorerIntegrationTestingAllowed", "InternetExplorerIntegrationLocalFileAllowed",
		"InternetExplorerIntegrationComplexNavDataTypes", "InternetExplorerIntegrationWindowOpenWidthAdjustment", "InternetExplorerIntegrationWindowOpenHeightAdjustment")
	x.edgeSettings("policy.downloads", "Downloads of Edge", "Downloads cannot be operated; with PromptForDownloadLocation 0 no box stands before the page.",
		"DownloadDirectory", "PromptForDownloadLocation", "AutoOpenFileTypes")
}

// The first Edge that was seen to hang with its tracking prevention on.
const edgeThatHangs = 128

func (x *examination) trackingPrevention() {
	f := x.check("policy.tracking-prevention", "Tracking prevention of Edge", fmt.Sprintf("TrackingPrevention is 0, from Edge %d on", edgeThatHangs),
		"With it sessions have been seen to hang at their start.")
	v, at, ok := x.edgePolicy("TrackingPrevention")
	n, is := v.number()
	version := x.facts.browser.version
	switch {
	case ok && is && n == 0:
		f.ok("off")
	case version != "" && major(version) < edgeThatHangs:
		f.ok("on, with Edge %s", version)
	default:
		if !ok {
			at = Place{Root: Machine, Path: `Software\Policies\Microsoft\Edge`, Name: "TrackingPrevention"}
		}
		f.warning("on").mend("If sessions hang, switch it off, as administrator:\n" + set(at, dword(0)).command())
	}
}

// edgeSettings shows policies that are good to know.
func (x *examination) edgeSettings(id, title, why string, names ...string) {
	f := x.check(id, title, "", why)
	var list []string
	for _, name := range names {
		if v, _, ok := x.edgePolicy(name); ok {
			list = append(list, fmt.Sprintf("%s: %s", name, v))
		}
	}
	if list == nil {
		list = []string{"no policy"}
	}
	f.information("%s", strings.Join(list, ", "))
}
