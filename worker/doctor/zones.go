package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	internetSettings = `Software\Microsoft\Windows\CurrentVersion\Internet Settings`
	internetPolicies = `Software\Policies\Microsoft\Windows\CurrentVersion\Internet Settings`
)

// The security zones of Internet Explorer that pages can be in.
var zones = []string{"1", "2", "3", "4"}

// protectedMode is the value of a zone: 0 on, 3 off.
const protectedMode = "2500"

func zone(root Root, settings, number, name string) Place {
	return Place{Root: root, Path: settings + `\Zones\` + number, Name: name}
}

// zoneValues are numbers by zone.
type zoneValues map[string]uint32

// common is the number that all have; ok is false when they differ or are none.
func (z zoneValues) common() (n uint32, ok bool) {
	for _, v := range z {
		if ok && v != n {
			return 0, false
		}
		n, ok = v, true
	}
	return n, ok
}

func (z zoneValues) String() string {
	var list []string
	for _, number := range slices.Sorted(maps.Keys(z)) {
		list = append(list, fmt.Sprintf("zone %s: %d", number, z[number]))
	}
	return strings.Join(list, ", ")
}

// allZones are the four, and whatever else the driver finds beside them.
func (x *examination) allZones() []string {
	list := slices.Clone(zones)
	names, err := x.registry.Subkeys(User, internetSettings+`\Zones`)
	if err != nil {
		x.findings[len(x.findings)-1].failed = err
	}
	for _, name := range names {
		if name != "0" && !slices.Contains(list, name) { // 0 is this computer, which the driver leaves out
			list = append(list, name)
		}
	}
	return list
}

// userZones are the values that the driver looks at.
func (x *examination) userZones(name string) zoneValues {
	values := zoneValues{}
	for _, number := range x.allZones() {
		if n, ok := x.number(zone(User, internetSettings, number, name)); ok {
			values[number] = n
		}
	}
	return values
}

// imposed are the values that the browser obeys before it looks at the user's:
// of the machine's policies, the user's policies, and where only the machine's
// settings count, those. from tells where each comes from.
func (x *examination) imposed(name string) (values zoneValues, from map[string]Place) {
	values, from = zoneValues{}, map[string]Place{}
	for _, number := range zones {
		places := []Place{zone(Machine, internetPolicies, number, name), zone(User, internetPolicies, number, name)}
		if x.machineOnly() {
			places = []Place{places[0], zone(Machine, internetSettings, number, name)}
		}
		for _, p := range places {
			if n, ok := x.number(p); ok {
				values[number], from[number] = n, p
				break
			}
		}
	}
	return values, from
}

var machineOnly = Place{Root: Machine, Path: internetPolicies, Name: "Security_HKLM_only"}

func (x *examination) machineOnly() bool {
	n, _ := x.number(machineOnly)
	return n == 1
}

func (x *examination) zones() {
	x.zonesEqual()
	x.zonePolicies()
	x.zonesOfMachine()
	x.zoneScripting()
	x.zoneSettings("zones.logon", "Logon without a question", "1A00",
		map[uint32]string{0: "by itself", 0x10000: "asks", 0x20000: "by itself in the intranet zone", 0x30000: "as nobody"},
		"0 or 131072 where sites ask for a Windows logon", "The Windows login box cannot be operated.")
	x.zoneSettings("zones.downloads", "Downloads of files", "1803", map[uint32]string{0: "allowed", 3: "not allowed"},
		"", "Downloads cannot be operated in any case; 3 forbids them.")
	x.zoneSettings("zones.mixed-content", "Mixed content", "1609", map[uint32]string{0: "shown", 1: "asks", 3: "not shown"},
		"0 where secure pages hold parts that are not", "A question about it blocks the page.")
}

// protection is the number to give the user's zones: the one that is imposed on
// the browser, if it is one; else what most needs least: off.
func (x *examination) protection() uint32 {
	imposed, _ := x.imposed(protectedMode)
	if n, ok := imposed.common(); ok && (n == 0 || n == 3) {
		return n
	}
	return 3
}

// protect are the changes that give every zone of the user n.
func (x *examination) protect(n uint32) (changes []change) {
	have := x.userZones(protectedMode)
	for _, number := range x.allZones() {
		if v, ok := have[number]; !ok || v != n {
			changes = append(changes, set(zone(User, internetSettings, number, protectedMode), dword(n)))
		}
	}
	return changes
}

func (x *examination) zonesEqual() {
	f := x.check("zones.equal", "Protected Mode in all zones", `2500 there and the same in zones 1 to 4: 3 (off, recommended) or 0 (on)`,
		"The driver refuses zones that differ. A missing value passes its check, and navigation hangs later.")
	values := x.userZones(protectedMode)
	var missing []string
	for _, number := range zones {
		if _, ok := values[number]; !ok {
			missing = append(missing, number)
		}
	}
	for _, number := range x.allZones() {
		if _, ok := values[number]; !ok && !slices.Contains(zones, number) {
			values[number] = 3 // as the driver takes it
		}
	}
	n, same := values.common()
	switch {
	case missing != nil:
		shown := "none in zone " + strings.Join(missing, ", ")
		if len(missing) < len(zones) {
			shown += "; " + values.String()
		}
		f.problem("%s", shown)
	case !same:
		f.problem("%s", values)
	case n != 0 && n != 3:
		f.problem("%d in all zones, which means nothing", n)
	default:
		f.ok("%d in all zones", n)
		return
	}
	f.mend("", x.protect(x.protection())...)
}

func (x *examination) zonePolicies() {
	f := x.check("zones.policies", "Protected Mode by policy", "no policy, or the same value as the user's in all zones",
		"The browser obeys policies; the driver looks at the user's values alone, and loses the page where they differ.")
	imposed, from := x.imposed(protectedMode)
	if len(imposed) == 0 {
		f.ok("none")
		return
	}
	user, differs := x.userZones(protectedMode), false
	for number, n := range imposed {
		has, ok := user[number]
		differs = differs || !ok || has != n
	}
	n, same := imposed.common()
	switch {
	case !same || n != 0 && n != 3:
		f.problem("%s", imposed)
		for _, number := range slices.Sorted(maps.Keys(from)) {
			if from[number].policy() {
				f.mend("", remove(from[number]))
			} else {
				f.mend("", set(from[number], dword(3)))
			}
		}
	case differs:
		f.problem("%s; the user's values differ", imposed).mend("", x.protect(n)...)
	default:
		f.ok("%s, as the user's", imposed)
	}
}

func (x *examination) zonesOfMachine() {
	f := x.check("zones.machine-only", "Zones of the user count", "Security_HKLM_only absent or 0",
		"Else the browser ignores the user's zones, which the driver looks at.")
	if !x.machineOnly() {
		f.ok("yes")
		return
	}
	f.warning("no: the browser takes those of the machine").mend("", remove(machineOnly))
}

func (x *examination) zoneScripting() {
	f := x.check("zones.scripting", "Scripts run in the zones of sites", "1400 is 0 in zones 1 to 3", "The driver works in pages by scripts.")
	user := x.userZones("1400")
	imposed, _ := x.imposed("1400")
	maps.Copy(user, imposed)
	off := zoneValues{}
	for _, number := range zones[:3] { // 4 is that of restricted sites
		if user[number] != 0 {
			off[number] = user[number]
		}
	}
	if len(off) > 0 {
		f.warning("%s", off).mend("Allow active scripting in that zone (Internet Options, Security), if your sites are in it.")
		return
	}
	f.ok("yes")
}

// zoneSettings shows a value of the zones that no machine needs in general.
func (x *examination) zoneSettings(id, title, name string, meaning map[uint32]string, wanted, why string) {
	f := x.check(id, title, wanted, why)
	values := x.userZones(name)
	imposed, _ := x.imposed(name)
	maps.Copy(values, imposed)
	var list []string
	for _, number := range zones {
		if n, ok := values[number]; ok {
			shown, known := meaning[n]
			if !known {
				shown = fmt.Sprint(n)
			}
			list = append(list, fmt.Sprintf("zone %s: %s", number, shown))
		}
	}
	if list == nil {
		list = []string{"as Windows has it"}
	}
	f.information("%s", strings.Join(list, ", "))
}
