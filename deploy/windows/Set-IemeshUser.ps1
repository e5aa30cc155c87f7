<#
.SYNOPSIS
Sets what Internet Explorer and the desktop need in the profile of the user whose desktop is driven.
.DESCRIPTION
Run it as that user, not as administrator: it writes to HKEY_CURRENT_USER alone. It can be repeated; -WhatIf shows what
it would do, and -Undo brings the old values back. Sign out and in again afterwards. "winworker doctor" checks the same.
.PARAMETER Undo
Brings back every value as it was before the first run.
.PARAMETER IntranetLogon
Lets Windows log on to sites of the intranet zone by itself, without a box that nobody can answer.
#>
[CmdletBinding(SupportsShouldProcess)]
param([switch] $Undo, [switch] $IntranetLogon)
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
. (Join-Path $PSScriptRoot 'Registry.ps1')

$file = Join-Path $env:LOCALAPPDATA 'iemesh\undo-user.json'
if ($Undo) {
    Restore-Value -File $file
    return
}

$internet = 'HKCU:\Software\Microsoft\Windows\CurrentVersion\Internet Settings'
$explorer = 'HKCU:\Software\Microsoft\Internet Explorer'
$desktop = 'HKCU:\Control Panel\Desktop'

foreach ($zone in 1..4) {
    # Protected Mode, 3 is off. The driver compares these four and no others, and takes a missing one for 3, while
    # Internet Explorer itself takes it for 0 in zones 3 and 4: then the check passes and the first page hangs.
    Set-Value -File $file -Path "$internet\Zones\$zone" -Name '2500' -Value 3
}
# 1400: scripts run; without them a page cannot even be read. Zone 4 (restricted sites) stays as strict as it is.
foreach ($zone in 1..3) { Set-Value -File $file -Path "$internet\Zones\$zone" -Name '1400' -Value 0 }
if ($IntranetLogon) {
    # 1A00: 0 logs on with the name of the user, 0x20000 only in the intranet. The box that asks cannot be operated.
    Set-Value -File $file -Path "$internet\Zones\1" -Name '1A00' -Value 0x20000
}

# Enhanced Protected Mode off: the driver cannot reach tabs that have it. PMIL is the plain one, PMEM the enhanced.
Set-Value -File $file -Path "$explorer\Main" -Name 'Isolation' -Value 'PMIL' -Type String
# 100 %: clicks go by coordinates.
Set-Value -File $file -Path "$explorer\Zoom" -Name 'ZoomFactor' -Value 100000
# Boxes of the script debugger block the tab, and nobody is there to close them.
Set-Value -File $file -Path "$explorer\Main" -Name 'Disable Script Debugger' -Value 'yes' -Type String
Set-Value -File $file -Path "$explorer\Main" -Name 'DisableScriptDebuggerIE' -Value 'yes' -Type String
Set-Value -File $file -Path "$explorer\Main" -Name 'Error Dlg Displayed On Every Error' -Value 'no' -Type String

# 96 dots per inch is 100 %. Win8DpiScaling 0 applies it to all monitors alike.
Set-Value -File $file -Path $desktop -Name 'LogPixels' -Value 96
Set-Value -File $file -Path $desktop -Name 'Win8DpiScaling' -Value 0
# A window that comes to the front gets the focus at once; without it keys and clicks go astray.
Set-Value -File $file -Path $desktop -Name 'ForegroundLockTimeout' -Value 0
# A screen saver locks the desktop, and a locked one takes no input.
Set-Value -File $file -Path $desktop -Name 'ScreenSaveActive' -Value '0' -Type String
Set-Value -File $file -Path $desktop -Name 'ScreenSaverIsSecure' -Value '0' -Type String
