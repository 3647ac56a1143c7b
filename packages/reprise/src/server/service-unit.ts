/**
 * Writes a service definition for systemd or launchd. By default both would end the agents together with the server
 * when it is stopped or restarted, so the definition makes them end the server alone.
 */

export type ServiceManager = "systemd" | "launchd";

export interface Service {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly home: string;
  readonly folder: string;
  /** Where agents' programs are found. */
  readonly path: string;
}

export function serviceText(manager: ServiceManager, service: Service): string {
  return manager === "systemd" ? systemd(service) : launchd(service);
}

function systemd({ command, folder, path }: Service): string {
  return `# Save it as ~/.config/systemd/user/reprise.service, then:
#   systemctl --user daemon-reload
#   systemctl --user enable --now reprise
# To keep it running while you are logged out: loginctl enable-linger

[Unit]
Description=Reprise

[Service]
Type=exec
ExecStart=${command.map(quoted).join(" ")}
WorkingDirectory=${specifier(folder)}
Environment=${quoted(`PATH=${path}`).replaceAll("$$", "$")}
Restart=on-failure
RestartSec=2
# Agents keep working when the server stops, and the next one adopts them.
KillMode=process
TimeoutStopSec=120
# An agent that takes too much memory does not end the server.
OOMPolicy=continue

[Install]
WantedBy=default.target
`;
}

/** Quoted for systemd, with `$` and `%` escaped. */
function quoted(text: string): string {
  const inside = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("$", "$$$$");
  return `"${specifier(inside)}"`;
}

function specifier(text: string): string {
  return text.replaceAll("%", "%%");
}

function launchd({ command, home, folder, path }: Service): string {
  const string = (text: string) => `<string>${escaped(text)}</string>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- Save it as ~/Library/LaunchAgents/reprise.plist, then: launchctl load ~/Library/LaunchAgents/reprise.plist -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>reprise</string>
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    ${string(word)}`).join("\n")}
  </array>
  <key>WorkingDirectory</key>
  ${string(folder)}
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    ${string(path)}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <!-- Agents keep working when the server stops, and the next one adopts them. -->
  <key>AbandonProcessGroup</key>
  <true/>
  <key>ExitTimeOut</key>
  <integer>120</integer>
  <key>StandardOutPath</key>
  ${string(`${home}/server.log`)}
  <key>StandardErrorPath</key>
  ${string(`${home}/server.log`)}
</dict>
</plist>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
