<#
.SYNOPSIS
Sets what Edge and IE mode need on the whole machine, and tells what is in the way.
.DESCRIPTION
Run it as administrator. It can be repeated; -WhatIf shows what it would do, and -Undo brings the old values back.
Policies of the organization win over these: what they set otherwise comes back with their next update, and belongs to
the people who keep them. Restart Edge afterwards.
.PARAMETER SiteList
Path or URL of a site list (site-list.xml is a template). iemesh itself needs none.
.PARAMETER OnlyHosts
Hosts that browsers of this machine may reach, such as legacy01.local, *.legacy.local. All others go to a proxy that does
not exist. Without it, --allowed-origins of the gateway says what agents see, but pages can load from anywhere.
.PARAMETER Proxy
host:port of the proxy for everything else than OnlyHosts.
.PARAMETER KeepTrackingPrevention
Leaves TrackingPrevention alone.
.PARAMETER Undo
Brings back every value as it was before the first run.
#>
[CmdletBinding(SupportsShouldProcess)]
param([string] $SiteList, [string[]] $OnlyHosts, [string] $Proxy, [switch] $KeepTrackingPrevention, [switch] $Undo)
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
. (Join-Path $PSScriptRoot 'Registry.ps1')

if (-not $WhatIfPreference -and -not (Test-Administrator)) { throw 'Run this as administrator, or with -WhatIf.' }
$file = Join-Path $env:ProgramData 'iemesh\undo-policies.json'
if ($Undo) {
    Restore-Value -File $file
    return
}

$edge = 'HKLM:\SOFTWARE\Policies\Microsoft\Edge'
$zones = 'CurrentVersion\Internet Settings\Zones'

# Without it the driver loses the page on the way back to an earlier one. The driver is a 32-bit program: both places.
foreach ($software in 'HKLM:\SOFTWARE', 'HKLM:\SOFTWARE\Wow6432Node') {
    Set-Value -File $file -Path "$software\Microsoft\Internet Explorer\Main\FeatureControl\FEATURE_BFCACHE" -Name 'iexplore.exe' -Value 0
}
# 1 is IE mode; 0 blocks it and 2 asks for the old browser. The driver would do without, but no other value may be there.
Set-Value -File $file -Path $edge -Name 'InternetExplorerIntegrationLevel' -Value 1
if ($SiteList) {
    # Which sites open in IE mode for people. A site that the list gives to Edge may be lost to the driver.
    Set-Value -File $file -Path $edge -Name 'InternetExplorerIntegrationSiteList' -Value $SiteList -Type String
}
if (-not $KeepTrackingPrevention) {
    # 0 is off. From Edge 128 on sessions have hung with it.
    Set-Value -File $file -Path $edge -Name 'TrackingPrevention' -Value 0
}
# Bars and boxes that nobody closes: where to save, the first run of Edge and of Internet Explorer.
Set-Value -File $file -Path $edge -Name 'PromptForDownloadLocation' -Value 0
Set-Value -File $file -Path $edge -Name 'HideFirstRunExperience' -Value 1
Set-Value -File $file -Path 'HKLM:\SOFTWARE\Policies\Microsoft\Internet Explorer\Main' -Name 'DisableFirstRunCustomize' -Value 1
# Windows Server: Enhanced Security Configuration asks about every site. The first key is for administrators.
foreach ($component in '{A509B1A7-37EF-4b3f-8CFC-4F3A74704073}', '{A509B1A8-37EF-4b3f-8CFC-4F3A74704073}') {
    $path = "HKLM:\SOFTWARE\Microsoft\Active Setup\Installed Components\$component"
    if (Test-Path -LiteralPath $path) { Set-Value -File $file -Path $path -Name 'IsInstalled' -Value 0 }
}

if ($OnlyHosts -or $Proxy) {
    # One proxy for all users of the machine. Pages in IE mode go by these settings, those of Edge by its own policy.
    $settings = 'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion\Internet Settings'
    if (-not $Proxy) { $Proxy = '127.0.0.1:9' } # nothing listens there
    # This machine too: the driver's own page is there.
    $bypass = (@($OnlyHosts | Where-Object { $_ }) + 'localhost', '127.0.0.1') -join ';'
    Set-Value -File $file -Path 'HKLM:\SOFTWARE\Policies\Microsoft\Windows\CurrentVersion\Internet Settings' -Name 'ProxySettingsPerUser' -Value 0
    Set-Value -File $file -Path $settings -Name 'ProxyServer' -Value $Proxy -Type String
    Set-Value -File $file -Path $settings -Name 'ProxyOverride' -Value $bypass -Type String
    Set-Value -File $file -Path $settings -Name 'ProxyEnable' -Value 1
    $own = ConvertTo-Json -Compress -InputObject @{ ProxyMode = 'fixed_servers'; ProxyServer = $Proxy; ProxyBypassList = $bypass }
    Set-Value -File $file -Path $edge -Name 'ProxySettings' -Value $own -Type String
}

# From here on nothing is changed: what is found belongs to somebody else, or to the installation of Windows.
foreach ($root in 'HKLM:\SOFTWARE\Policies\Microsoft\Windows', 'HKCU:\Software\Policies\Microsoft\Windows', 'HKLM:\SOFTWARE\Microsoft\Windows') {
    foreach ($zone in 1..4) {
        # These win over the user's values for the browser, but the driver does not look at them.
        $mode = Get-Value -Path "$root\$zones\$zone" -Name '2500'
        if ($null -ne $mode -and $mode -ne 3) { Write-Warning "$root\$zones\$zone has 2500 = $mode. It must be 3 in all four zones, or not be there." }
    }
}
if (1 -eq (Get-Value -Path 'HKLM:\SOFTWARE\Policies\Microsoft\Windows\CurrentVersion\Internet Settings' -Name 'Security_HKLM_only')) {
    Write-Warning 'The policy Security_HKLM_only is set: Internet Explorer does not see the zones of the user, and the driver sees nothing else.'
}
if ('PMEM' -eq (Get-Value -Path 'HKLM:\SOFTWARE\Policies\Microsoft\Internet Explorer\Main' -Name 'Isolation')) {
    Write-Warning 'A policy switches Enhanced Protected Mode on: the driver cannot reach such tabs.'
}
foreach ($policies in $edge, 'HKCU:\Software\Policies\Microsoft\Edge') {
    $level = Get-Value -Path $policies -Name 'InternetExplorerIntegrationLevel'
    if ($null -ne $level -and $level -ne 1 -and $policies -ne $edge) { Write-Warning "$policies has InternetExplorerIntegrationLevel = ${level}: IE mode is blocked or changed." }
    if ($null -ne (Get-Value -Path $policies -Name 'UserDataDir')) {
        # Every Edge shares one profile then: a second one hands over to the first and ends, and the driver never finds it.
        Write-Warning "$policies has UserDataDir: the driver's Edge cannot have a profile of its own."
    }
}
$program = Get-Value -Path 'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion\App Paths\msedge.exe' -Name ''
if (-not $program -or -not (Test-Path -LiteralPath $program)) { Write-Warning 'Edge is not found where the driver looks (App Paths\msedge.exe). Install it, or name it in --edge-path.' }
if (-not (Test-Path -LiteralPath (Join-Path $env:ProgramFiles 'Internet Explorer\iexplore.exe'))) {
    Write-Warning 'Internet Explorer 11 is missing, which IE mode runs in. Add it: Enable-WindowsOptionalFeature -Online -FeatureName Internet-Explorer-Optional-amd64'
}
