import { PlumblineError } from '@plumbline/client'

/** Whether a change was refused since the password that proves who one is was wrong. */
export const isWrongPassword = (error: unknown): boolean =>
  error instanceof PlumblineError &&
  error.kind === 'invalid' &&
  /the password is wrong/i.test(error.message)
