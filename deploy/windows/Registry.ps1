# Functions of the other scripts; dot-sourced by them, so that -WhatIf reaches them.
#
# Every value that is changed is noted with what it was before, in one file, so that -Undo brings it back.
Set-StrictMode -Version 2

function Test-Administrator {
    [CmdletBinding()]
    param()
    $identity = [Security.Principal.WindowsIdentity]::GetCurrent()
    $principal = New-Object Security.Principal.WindowsPrincipal $identity
    return $principal.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)
}

# Get-Value returns the value, or $null when the key or the value is not there.
function Get-Value {
    [CmdletBinding()]
    param([Parameter(Mandatory)] [string] $Path, [Parameter(Mandatory)] [AllowEmptyString()] [string] $Name)
    $key = Get-Item -LiteralPath $Path -ErrorAction SilentlyContinue
    if ($null -eq $key) { return $null }
    return $key.GetValue($Name, $null, 'DoNotExpandEnvironmentNames')
}

# Get-Undo returns what was noted, as a list.
function Get-Undo {
    [CmdletBinding()]
    param([Parameter(Mandatory)] [string] $File)
    if (-not (Test-Path -LiteralPath $File)) { return }
    # ConvertFrom-Json of PowerShell 5.1 sends a list as one object.
    $notes = Get-Content -LiteralPath $File -Raw -Encoding UTF8 | ConvertFrom-Json
    foreach ($note in $notes) { $note }
}

function Save-Undo {
    [CmdletBinding(SupportsShouldProcess)]
    param([Parameter(Mandatory)] [string] $File, [object[]] $Notes)
    if ($PSCmdlet.ShouldProcess($File, 'Note the old values')) {
        New-Item -ItemType Directory -Path (Split-Path -Parent $File) -Force | Out-Null
        ConvertTo-Json -InputObject @($Notes) | Set-Content -LiteralPath $File -Encoding UTF8
    }
}

# Set-Value sets a value, noting the old one first. A value that is right already is left alone.
function Set-Value {
    [CmdletBinding(SupportsShouldProcess)]
    param(
        [Parameter(Mandatory)] [string] $File,
        [Parameter(Mandatory)] [string] $Path,
        [Parameter(Mandatory)] [string] $Name,
        [Parameter(Mandatory)] $Value,
        [ValidateSet('DWord', 'String')] [string] $Type = 'DWord'
    )
    $old = Get-Value -Path $Path -Name $Name
    if (($old -is [string]) -eq ($Type -eq 'String') -and "$old" -ceq "$Value") { return }
    if ($PSCmdlet.ShouldProcess("$Path\$Name", "Set to $Value (was $(if ($null -eq $old) { 'absent' } else { $old }))")) {
        $notes = @(Get-Undo -File $File)
        # Only the first note of a value is of the time before us.
        $noted = @($notes | Where-Object { $_.Path -eq $Path -and $_.Name -eq $Name })
        if ($noted.Count -eq 0) {
            $kind = 'DWord'
            if ($null -ne $old) { $kind = "$((Get-Item -LiteralPath $Path).GetValueKind($Name))" }
            $note = New-Object PSObject -Property @{ Path = $Path; Name = $Name; Absent = ($null -eq $old); Value = $old; Type = $kind }
            Save-Undo -File $File -Notes ($notes + $note)
        }
        if (-not (Test-Path -LiteralPath $Path)) { New-Item -Path $Path -Force | Out-Null }
        New-ItemProperty -LiteralPath $Path -Name $Name -Value $Value -PropertyType $Type -Force | Out-Null
    }
}

# Restore-Value brings back all values that were noted.
function Restore-Value {
    [CmdletBinding(SupportsShouldProcess)]
    param([Parameter(Mandatory)] [string] $File)
    foreach ($note in @(Get-Undo -File $File)) {
        if ($note.Absent) {
            if ($null -ne (Get-Value -Path $note.Path -Name $note.Name)) {
                if ($PSCmdlet.ShouldProcess("$($note.Path)\$($note.Name)", 'Remove')) {
                    Remove-ItemProperty -LiteralPath $note.Path -Name $note.Name
                }
            }
        } elseif ($PSCmdlet.ShouldProcess("$($note.Path)\$($note.Name)", "Set to $($note.Value)")) {
            New-ItemProperty -LiteralPath $note.Path -Name $note.Name -Value $note.Value -PropertyType $note.Type -Force | Out-Null
        }
    }
    if (Test-Path -LiteralPath $File) {
        if ($PSCmdlet.ShouldProcess($File, 'Remove')) { Remove-Item -LiteralPath $File }
    }
}
