import { environmentName } from '../config/settings.ts'
import type { ListeningSettings } from '../startup/listening.ts'

type MachineError = {
  code?: unknown
  message: string
  syscall?: unknown
  settings?: ListeningSettings
}

/** The flag, setting and variable that choose the port or address of a server. */
function chooseWith({ settings = 'http' }: MachineError, name: 'host' | 'port'): string {
  const setting = `${settings}.${name}`
  const flag = settings === 'http' ? `--${name}, ` : ''
  return `${flag}${setting} or ${environmentName(setting)}`
}

/** Explanations of failures of a machine, by error code, with what an operator can do. */
const REMEDIES: readonly [codes: RegExp, explain: (error: MachineError) => string][] = [
  [
    /^EADDRINUSE$/,
    (error) =>
      `${error.message}: another program, perhaps another Plumbline, uses this port. Choose another port with ${chooseWith(error, 'port')}.`,
  ],
  [
    /^(EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN)$/,
    (error) =>
      `${error.message}: this machine does not have that address. Choose another with ${chooseWith(error, 'host')}.`,
  ],
  [
    /^listen EACCES$/,
    (error) =>
      `${error.message}: this user may not listen on this port. Choose a port of 1024 or above with ${chooseWith(error, 'port')}.`,
  ],
  [
    /^(ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR_SHMOPEN|SQLITE_IOERR_SHMSIZE)$/,
    ({ message }) => `${message}: the disk or the quota is full. Free some space and try again.`,
  ],
  [
    /^(EACCES|EPERM)$/,
    ({ message }) =>
      `${message}: this user has no right to do that. Run the command as the user that the folder belongs to, give this user the folder, or name another one.`,
  ],
  [
    /^EROFS$/,
    ({ message }) =>
      `${message}: the disk is mounted read-only. Mount it for writing, or name another folder.`,
  ],
  [
    /^mkdir ENOENT$/,
    ({ message }) =>
      `${message}: the folder above is missing, or its disk is mounted read-only. Mount the disk for writing, or name another folder.`,
  ],
  [/^scandir ENOENT$/, ({ message }) => `${message}: the folder does not exist. Check its name.`],
  [
    /^(SQLITE_READONLY\w*|SQLITE_CANTOPEN\w*|SQLITE_PERM)$/,
    ({ message }) =>
      `${message}: this user cannot write there. Choose another data folder with --data.`,
  ],
  [
    /^(EEXIST|ENOTDIR)$/,
    ({ message }) => `${message}: a file exists where a folder is needed. Name another folder.`,
  ],
  [
    /^(EMFILE|ENFILE)$/,
    ({ message }) =>
      `${message}: too many files are open. Raise the limit: "ulimit -n", or LimitNOFILE= of systemd.`,
  ],
  [
    /^(SQLITE_BUSY|SQLITE_LOCKED)/,
    ({ message }) =>
      `${message}: another process has locked the database for more than ten seconds. Try again later.`,
  ],
  [
    /^(SQLITE_CORRUPT|SQLITE_NOTADB)/,
    ({ message }) =>
      `${message}: the database file is damaged. Run "plumbline doctor" to find the damage, and restore the data folder from a backup.`,
  ],
  [
    /^(EIO|SQLITE_IOERR)/,
    ({ message, code }) =>
      `${message} (${String(code)}): the disk failed. Check the log of the operating system.`,
  ],
  [/^(ENOMEM|SQLITE_NOMEM)/, ({ message }) => `${message}: the machine is out of memory.`],
]

/** Explains a failure of the machine and its remedy; undefined for any other error. */
export function explainMachineError(error: MachineError): string | undefined {
  const code = String(error.code)
  const called = `${String(error.syscall)} ${code}`
  const [, explain] =
    REMEDIES.find(([codes]) => codes.test(called)) ??
    REMEDIES.find(([codes]) => codes.test(code)) ??
    []
  return explain?.(error)
}
