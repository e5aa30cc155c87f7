<#
.SYNOPSIS
Makes this machine serve browsers in IE mode: folders, settings, token, task, firewall.
.DESCRIPTION
Run it in an elevated PowerShell of the user whose desktop is driven. Put winworker.exe and a 32-bit IEDriverServer.exe
beside it first; nothing is downloaded. It can be repeated, after an update of one of the two as well. -WhatIf shows what
it would do. -Undo takes the task, the rule of the firewall and all settings back, and leaves the folder.
.PARAMETER Listen
HOST:PORT to serve. One that is not loopback needs GatewayAddress, and tls-cert.pem and tls-key.pem beside this script.
.PARAMETER GatewayAddress
The address of the gateway, the only one that the firewall lets in.
.PARAMETER Folder
Where the programs go.
.PARAMETER DriverHash
SHA-256 of IEDriverServer.exe. Compared when given, and shown in any case.
.PARAMETER Undo
Takes everything back but the folder.
#>
[CmdletBinding(SupportsShouldProcess)]
param(
    [string] $Listen = '127.0.0.1:7311',
    [string] $GatewayAddress,
    [string] $Folder = 'C:\iemesh',
    [string] $DriverHash,
    [switch] $Undo
)
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
. (Join-Path $PSScriptRoot 'Registry.ps1')

if (-not $WhatIfPreference -and -not (Test-Administrator)) { throw 'Run this as administrator, or with -WhatIf.' }
$winworker = Join-Path $Folder 'winworker.exe'

function Invoke-Winworker {
    [CmdletBinding(SupportsShouldProcess)]
    param([Parameter(Mandatory)] [string[]] $Arguments)
    if ($PSCmdlet.ShouldProcess("winworker $Arguments", 'Run')) {
        & $winworker @Arguments
        if ($LASTEXITCODE -ne 0) { throw "winworker ended with $LASTEXITCODE." }
    }
}

if ($Undo) {
    if (Test-Path -LiteralPath $winworker) { Invoke-Winworker -Arguments 'uninstall' }
    foreach ($script in 'Set-IemeshDesktop.ps1', 'Set-IemeshPolicies.ps1', 'Set-IemeshUser.ps1') {
        & (Join-Path $PSScriptRoot $script) -Undo -WhatIf:$WhatIfPreference
    }
    return
}

# What is needed, before anything is changed.
$files = @('winworker.exe', 'IEDriverServer.exe')
if ($GatewayAddress) { $files += 'tls-cert.pem', 'tls-key.pem' }
foreach ($name in $files) {
    if (-not (Test-Path -LiteralPath (Join-Path $PSScriptRoot $name)) -and -not (Test-Path -LiteralPath (Join-Path $Folder $name))) {
        throw "Put $name beside this script, or into $Folder."
    }
}
$driver = Join-Path $PSScriptRoot 'IEDriverServer.exe'
if (-not (Test-Path -LiteralPath $driver)) { $driver = Join-Path $Folder 'IEDriverServer.exe' }
$hash = (Get-FileHash -LiteralPath $driver -Algorithm SHA256).Hash
Write-Host "$driver has the SHA-256 $hash."
if ($DriverHash -and $DriverHash -ne $hash) { throw 'That is not the driver that was asked for.' }

# The programs: a running one cannot be replaced, so the task goes first.
if (Test-Path -LiteralPath $winworker) { Invoke-Winworker -Arguments 'uninstall' }
if ($PSCmdlet.ShouldProcess($Folder, 'Make the folder, copy the programs')) {
    New-Item -ItemType Directory -Path $Folder -Force | Out-Null
    # A folder on C: can be written by everybody who is logged on; programs that start by themselves must not.
    & icacls.exe $Folder /inheritance:r /grant '*S-1-5-32-544:(OI)(CI)F' '*S-1-5-18:(OI)(CI)F' '*S-1-5-32-545:(OI)(CI)RX' | Out-Null
    if ($LASTEXITCODE -ne 0) { throw "icacls ended with $LASTEXITCODE." }
    foreach ($name in $files) {
        $source = Join-Path $PSScriptRoot $name
        $target = Join-Path $Folder $name
        if ((Test-Path -LiteralPath $source) -and $source -ne $target) { Copy-Item -LiteralPath $source -Destination $target -Force }
        # Windows asks about a file from the internet before it runs it; a task cannot answer.
        Unblock-File -LiteralPath $target
    }
}

& (Join-Path $PSScriptRoot 'Set-IemeshUser.ps1') -WhatIf:$WhatIfPreference
& (Join-Path $PSScriptRoot 'Set-IemeshPolicies.ps1') -WhatIf:$WhatIfPreference
& (Join-Path $PSScriptRoot 'Set-IemeshDesktop.ps1') -WhatIf:$WhatIfPreference

$arguments = @('install', '--engine=ie', "--listen=$Listen", "--driver-path=$(Join-Path $Folder 'IEDriverServer.exe')")
if ($GatewayAddress) {
    $tokens = Join-Path $Folder 'tokens'
    $arguments += "--gateway-address=$GatewayAddress", "--token-file=$tokens"
    $arguments += "--tls-cert=$(Join-Path $Folder 'tls-cert.pem')", "--tls-key=$(Join-Path $Folder 'tls-key.pem')"
    if (-not (Test-Path -LiteralPath $tokens)) {
        # Printed once; the file keeps the hash of it.
        Invoke-Winworker -Arguments 'token', 'new', 'gateway', "--token-file=$tokens"
    }
    # The key and the tokens are for the user and the administrators alone.
    foreach ($name in 'tls-key.pem', 'tokens') {
        $secret = Join-Path $Folder $name
        if ($PSCmdlet.ShouldProcess($secret, 'Let nobody else read it')) {
            & icacls.exe $secret /inheritance:r /grant "${env:USERDOMAIN}\${env:USERNAME}:R" '*S-1-5-32-544:F' '*S-1-5-18:F' | Out-Null
            if ($LASTEXITCODE -ne 0) { throw "icacls ended with $LASTEXITCODE." }
        }
    }
}
Invoke-Winworker -Arguments $arguments
