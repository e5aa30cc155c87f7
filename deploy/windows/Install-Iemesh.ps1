<#
.SYNOPSIS
Makes this machine serve browsers in IE mode: folders, settings, token, task, firewall.
.DESCRIPTION
Run it in an elevated PowerShell of the user whose desktop is driven. Put a 32-bit IEDriverServer.exe beside it first;
winworker.exe is where the archive of iemesh has it. Nothing is downloaded. It can be repeated, with newer programs too.
-WhatIf shows what it would do. -Undo takes the task, the rule of the firewall and all settings back, and leaves the folder.
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

# Find-Source returns the path of a file: beside this script, where the archive of iemesh has it, or already in place.
function Find-Source {
    [CmdletBinding()]
    param([Parameter(Mandatory)] [string] $Name)
    foreach ($place in $PSScriptRoot, "$PSScriptRoot\..\..", $Folder) {
        $path = Join-Path $place $Name
        if (Test-Path -LiteralPath $path) { return (Get-Item -LiteralPath $path).FullName }
    }
    throw "Put $Name beside this script, or into $Folder."
}

# What is needed, before anything is changed.
$files = @('winworker.exe', 'IEDriverServer.exe')
if ($GatewayAddress) { $files += 'tls-cert.pem', 'tls-key.pem' }
$sources = @{}
foreach ($name in $files) { $sources[$name] = Find-Source -Name $name }
$hash = (Get-FileHash -LiteralPath $sources['IEDriverServer.exe'] -Algorithm SHA256).Hash
Write-Host "IEDriverServer.exe has the SHA-256 $hash."
if ($DriverHash -and $DriverHash -ne $hash) { throw 'That is not the driver that was asked for.' }

# The programs: a running one cannot be replaced, so the task goes first.
if (Test-Path -LiteralPath $winworker) { Invoke-Winworker -Arguments 'uninstall' }
if ($PSCmdlet.ShouldProcess($Folder, 'Make the folder, copy the programs')) {
    New-Item -ItemType Directory -Path $Folder -Force | Out-Null
    # A folder on C: can be written by everybody who is logged on; programs that start by themselves must not.
    & icacls.exe $Folder /inheritance:r /grant '*S-1-5-32-544:(OI)(CI)F' '*S-1-5-18:(OI)(CI)F' '*S-1-5-32-545:(OI)(CI)RX' | Out-Null
    if ($LASTEXITCODE -ne 0) { throw "icacls ended with $LASTEXITCODE." }
    foreach ($name in $files) {
        $target = Join-Path $Folder $name
        if ($sources[$name] -ne $target) { Copy-Item -LiteralPath $sources[$name] -Destination $target -Force }
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
