export type Fetch = typeof globalThis.fetch

export type Credentials = 'omit' | 'same-origin' | 'include'

export type ConnectionOptions = {
  /** Where the service is: `https://host:8443`. In a browser by default where its page is from. */
  baseUrl?: string | undefined
  /** How often a call is repeated that failed for a reason that passes. Default: 4. */
  retries?: number | undefined
  /** How long a call may take, with its retries. Default: no end. */
  timeoutMilliseconds?: number | undefined
  /** The time zone of the structures, in which instants of Temporal are written. */
  timeZone?: string | undefined
  /** Whether `fetch` sends cookies, such as that of a session of the console. */
  credentials?: Credentials | undefined
  /** Replaces the global `fetch`. */
  fetch?: Fetch | undefined
}

export type CallOptions = {
  signal?: AbortSignal | undefined
  /** How long the call may take, with its retries. Default: that of the client. */
  timeoutMilliseconds?: number | undefined
  /** How often it is repeated; 0: never. Default: that of the client. */
  retries?: number | undefined
}
