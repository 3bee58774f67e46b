/** Whether an event writes a line `each` time, or for the `first` of equal events of a minute. */
type Repetition = 'each' | 'first'

/** Every security event by its name. `docs/security.md` lists the same names. */
export const SECURITY_EVENTS = {
  'security.log-in': {
    repetition: 'first',
    meaning: 'An access token was issued, refreshed or invalidated for an application.',
  },
  'security.log-in-failed': {
    repetition: 'first',
    meaning: 'A token operation carried a wrong application id or secret.',
  },
  'security.throttled': {
    repetition: 'first',
    meaning: 'An address sent too many wrong secrets and was answered 429.',
  },
  'security.sign-in': {
    repetition: 'first',
    meaning: 'A person signed in.',
  },
  'security.sign-in-failed': {
    repetition: 'first',
    meaning: 'A person gave a wrong name, password or code, or a one-time link that is not valid.',
  },
  'security.token-refused': {
    repetition: 'first',
    meaning: 'A request had no valid access token or session; the response was 401.',
  },
  'security.access-refused': {
    repetition: 'first',
    meaning:
      'A request needed access or a scope that its user or application lacks; the response was 403.',
  },
  'security.key-refused': {
    repetition: 'first',
    meaning: 'A request to ingest had no valid key; the response was 401.',
  },
  'security.connection-refused': {
    repetition: 'first',
    meaning: 'A connection to the interface was closed because it exceeded a limit.',
  },
  'security.write': {
    repetition: 'each',
    meaning: 'A user sent a management request that writes.',
  },
  'security.session-ended': {
    repetition: 'first',
    meaning:
      'A request or an MQTT session under way was ended: its secret was revoked, or its user lost access.',
  },
  'security.mqtt-log-in': {
    repetition: 'first',
    meaning: 'A client logged in at the embedded broker.',
  },
  'security.mqtt-log-in-failed': {
    repetition: 'first',
    meaning: 'A client sent a wrong key to the embedded broker.',
  },
  'security.mqtt-log-out': {
    repetition: 'first',
    meaning: 'A client that was logged in left the embedded broker.',
  },
  'security.mqtt-refused': {
    repetition: 'first',
    meaning: 'The embedded broker closed a connection that exceeded a limit.',
  },
  'security.command': {
    repetition: 'each',
    meaning: 'A command changed who has access.',
  },
  'security.command-write': {
    repetition: 'each',
    meaning: 'A command started to change or delete stored data.',
  },
} as const satisfies Record<string, { repetition: Repetition; meaning: string }>

export type SecurityEvent = keyof typeof SECURITY_EVENTS
