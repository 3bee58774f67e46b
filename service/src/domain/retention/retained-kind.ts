/** The kinds of records with a retention period. `traffic` are vehicles. */
export type RetainedKind = 'theme' | 'raw' | 'vibration' | 'traffic'

/** The retention periods of a structure, such as `{ theme: '10y' }`; other kinds never expire. */
export type Retention = { [Kind in RetainedKind]?: string }
