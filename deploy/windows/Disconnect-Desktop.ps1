<#
.SYNOPSIS
Leaves a remote desktop and keeps its session open on the console.
.DESCRIPTION
Closing a remote desktop locks it, and a locked desktop takes no input. Run this instead, as administrator, inside the
remote desktop: the window closes, and the session goes on as that of the machine's own screen.
#>
[CmdletBinding(SupportsShouldProcess)]
param()
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
. (Join-Path $PSScriptRoot 'Registry.ps1')

if (-not $WhatIfPreference -and -not (Test-Administrator)) { throw 'Run this as administrator, or with -WhatIf.' }
$session = [Diagnostics.Process]::GetCurrentProcess().SessionId
if ($PSCmdlet.ShouldProcess("Session $session", 'Connect to the console')) {
    & tscon.exe $session /dest:console
    if ($LASTEXITCODE -ne 0) { throw "tscon ended with $LASTEXITCODE." }
}
