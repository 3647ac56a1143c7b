/**
 * The shim: a small shell script between Reprise and the agent that outlives Reprise, makes sure that
 * an attempt starts at most once, and records who runs it and how it ended.
 *
 * Started as `sh -c SCRIPT reprise-turn <spool> <place> <boot> <command...>`; the place is the host's name, the
 * machine and the pid namespace, one on each line. Where /proc exists it starts no other program: each would cost a
 * millisecond, and might not be on the agent's PATH.
 */

/** Shell code that reads the shell's own identity. */
interface Means {
  /** Sets `__reprise_pid` and `__reprise_start` of the shell, or subshell, that calls it. */
  readonly identify: string;
  /** Sets `__reprise_umask`. */
  readonly umask: string;
}

const fromProc: Means = {
  identify: `
  read -r __reprise_stat </proc/self/stat
  set -- $__reprise_stat
  __reprise_pid=$1
  __reprise_start=\${22}`,
  // The second line, except in very old kernels.
  umask: `
{ read -r __reprise_name; read -r __reprise_name __reprise_umask; } </proc/self/status
[ "$__reprise_name" = Umask: ] || __reprise_umask=$(umask)`,
};

const fromPs: Means = {
  // In a subshell $$ is still the pid of its parent.
  identify: `
  __reprise_pid=$(exec /bin/sh -c 'echo $PPID')
  __reprise_start=$(LC_ALL=C TZ=UTC /bin/ps -o lstart= -p "$__reprise_pid")`,
  umask: "__reprise_umask=$(umask)",
};

/**
 * Names begin with `__reprise` because the shell would change a variable of the agent's environment
 * that had the same name. The agent is not put into the background, where a shell makes it ignore
 * SIGINT; a shell that waits for its foreground runs its traps only afterwards, so a signal to the
 * shim alone loses nothing, and the agent's subshell starts without the traps. Each record is one
 * short write whose last byte is a newline: a record without it counts as not written.
 */
function script({ identify, umask }: Means): string {
  return `
__reprise_identify() {${identify}
}
__reprise_record() {
  __reprise_identify
  printf '%s\\n' "$__reprise_pid" "$__reprise_start" "$__reprise_boot" "$__reprise_host" >"$__reprise_spool/$1"
}
trap : HUP INT QUIT TERM USR1 USR2 ALRM PIPE
__reprise_spool=$1
__reprise_host=$2
__reprise_boot=$3
shift 3
${umask}
umask 077

# With -C the file is created or the redirection fails, in one step: this is the ticket.
set -C
true >"$__reprise_spool/ticket" || exit 0
set +C

__reprise_record pid || exit 1
(
  __reprise_record agent
  umask "$__reprise_umask"
  exec "$@"
) <"$__reprise_spool/prompt" >>"$__reprise_spool/stdout" 2>>"$__reprise_spool/stderr"
printf '%s\\n' "$?" >"$__reprise_spool/exit"
`;
}

export const procShim = script(fromProc);
export const psShim = script(fromPs);
