<#
.SYNOPSIS
Keeps the machine awake and the desktop open: no sleep, no dark display, no lock screen.
.DESCRIPTION
Run it as administrator. It can be repeated; -WhatIf shows what it would do, and -Undo brings the old values and the old
power plan back. Whoever reaches the console or the hypervisor of this machine finds an open desktop: give its user few
rights, and the machine a place where only the right people come. People can still lock it (Win+L).
.PARAMETER Undo
Brings back every value as it was before the first run.
#>
[CmdletBinding(SupportsShouldProcess)]
param([switch] $Undo)
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
. (Join-Path $PSScriptRoot 'Registry.ps1')

if (-not $WhatIfPreference -and -not (Test-Administrator)) { throw 'Run this as administrator, or with -WhatIf.' }
$file = Join-Path $env:ProgramData 'iemesh\undo-desktop.json'
$before = Join-Path $env:ProgramData 'iemesh\power-plan.txt'
$own = '9a5f3c1e-6d27-4b8e-9c40-1e3e5a7d2f60' # our power plan

$active = ''
if ("$(& powercfg.exe /getactivescheme)" -match '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}') { $active = $Matches[0] }

if ($Undo) {
    Restore-Value -File $file
    if (Test-Path -LiteralPath $before) {
        $plan = (Get-Content -LiteralPath $before -Raw).Trim()
        if ($PSCmdlet.ShouldProcess("Power plan $plan", 'Make it the active one again')) {
            & powercfg.exe /setactive $plan
            & powercfg.exe /delete $own
            Remove-Item -LiteralPath $before
        }
    }
    return
}

# A power plan of our own, a copy of the active one that never sleeps: a machine that sleeps answers nobody, and a display
# that is off leaves screenshots black.
if ($active -ne $own) {
    if ($PSCmdlet.ShouldProcess("Power plan iemesh, a copy of $active", 'Make it the active one')) {
        New-Item -ItemType Directory -Path (Split-Path -Parent $before) -Force | Out-Null
        Set-Content -LiteralPath $before -Value $active
        & powercfg.exe /duplicatescheme $active $own | Out-Null
        & powercfg.exe /changename $own iemesh
        & powercfg.exe /setactive $own
        if ($LASTEXITCODE -ne 0) { throw "powercfg ended with $LASTEXITCODE." }
    }
}
foreach ($setting in 'standby-timeout-ac', 'standby-timeout-dc', 'hibernate-timeout-ac', 'hibernate-timeout-dc', 'monitor-timeout-ac', 'monitor-timeout-dc') {
    if ($PSCmdlet.ShouldProcess("Power plan iemesh, $setting", 'Set to never')) { & powercfg.exe /change $setting 0 }
}
# The lock screen.
Set-Value -File $file -Path 'HKLM:\SOFTWARE\Policies\Microsoft\Windows\Personalization' -Name 'NoLockScreen' -Value 1
# Seconds without input after which Windows locks the desktop; 0 is never.
Set-Value -File $file -Path 'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion\Policies\System' -Name 'InactivityTimeoutSecs' -Value 0
# A remote desktop that is idle is not disconnected, nor one that is disconnected logged off. Milliseconds; 0 is never.
foreach ($name in 'MaxIdleTime', 'MaxDisconnectionTime') {
    Set-Value -File $file -Path 'HKLM:\SOFTWARE\Policies\Microsoft\Windows NT\Terminal Services' -Name $name -Value 0
}
# Updates wait while somebody is logged on, which here is always: restart the machine at times of your own.
Set-Value -File $file -Path 'HKLM:\SOFTWARE\Policies\Microsoft\Windows\WindowsUpdate\AU' -Name 'NoAutoRebootWithLoggedOnUsers' -Value 1

if ('1' -ne (Get-Value -Path 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Winlogon' -Name 'AutoAdminLogon')) {
    Write-Warning 'After a restart nobody is logged on, and no agent is served. Let Windows log the user on with Autologon of Sysinternals, which keeps the password as a secret of the system. Do not write DefaultPassword into the registry.'
}
