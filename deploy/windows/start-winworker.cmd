@echo off
rem Starts winworker and starts it again when it fails. Run it in the logged-on desktop of the user whose Edge is to be
rem driven, never as a service: IE mode needs a desktop. To start it at logon, put a shortcut to it into shell:startup.
setlocal
set "folder=%~dp0"
if not exist "%folder%winworker.exe" set "folder=%~dp0..\..\"
cd /d "%folder%" || exit /b 1

rem A setting that the environment already has stays as it is.
if not defined IE_MCP_ENGINE set "IE_MCP_ENGINE=ie"
if not defined IE_MCP_DRIVER_PATH set "IE_MCP_DRIVER_PATH=%CD%\IEDriverServer.exe"
if not defined IE_MCP_LISTEN set "IE_MCP_LISTEN=0.0.0.0:7311"
if not defined IE_MCP_TOKEN_FILE set "IE_MCP_TOKEN_FILE=%CD%\tokens"
if not defined IE_MCP_TLS_CERT set "IE_MCP_TLS_CERT=%CD%\tls-cert.pem"
if not defined IE_MCP_TLS_KEY set "IE_MCP_TLS_KEY=%CD%\tls-key.pem"

:start
if exist winworker.log for %%F in (winworker.log) do if %%~zF gtr 10000000 move /y winworker.log winworker.old.log >nul
echo winworker serves %IE_MCP_LISTEN%; its log is %CD%\winworker.log
winworker.exe 2>>winworker.log
set "code=%ERRORLEVEL%"
if %code%==0 exit /b 0
if %code%==2 goto wrong
echo winworker ended with %code% and is started again
ping -n 6 127.0.0.1 >nul
goto start

:wrong
echo A setting is wrong; see the end of %CD%\winworker.log
pause
exit /b 2
