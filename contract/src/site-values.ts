import { Type } from 'typebox'

/** The largest public id, the largest signed 32-bit integer. */
export const LARGEST_ID = 2_147_483_647

/** The first of the group ids that the service uses for default groups. */
export const FIRST_DEFAULT_GROUP_ID = 2_000_000_000

/**
 * Schemas of single values. A `title` describes in words what a pattern accepts; a `writeOnly` value
 * may hold a secret and is never shown.
 */
export const id = (description: string) =>
  Type.Integer({ minimum: 1, maximum: LARGEST_ID, description })

export const groupId = (description: string) =>
  Type.Integer({ minimum: 1, maximum: FIRST_DEFAULT_GROUP_ID - 1, description })

export const ids = (description: string, options: { default?: number[]; minItems?: number } = {}) =>
  Type.Array(id('An id.'), { uniqueItems: true, description, ...options })

export const name = (description: string) => Type.String({ minLength: 1, description })

export const text = (description: string, defaultText?: string) =>
  Type.String({ description, ...(defaultText === undefined ? {} : { default: defaultText }) })

export const uuid = (description: string) =>
  Type.String({
    title: 'a uuid such as 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01',
    pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
    description,
  })

export const itemKey = (description: string) =>
  Type.String({
    title: "a key of 1 to 64 characters other than `time`, which is a record's own member",
    pattern: '^(?!time$)[\\s\\S]{1,64}$',
    description,
  })

export const timeZone = (description: string) =>
  Type.String({ minLength: 1, description, examples: ['Asia/Shanghai', 'Europe/Berlin', 'UTC'] })

export const localTime = (description: string) =>
  Type.String({
    title: 'a local time such as 2025-01-31 08:00:00',
    pattern: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01]) ([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d$',
    description,
  })

export const clockTime = (description: string) =>
  Type.Union(
    [
      Type.String({
        title: 'a clock time such as 22:00:00',
        pattern: '^([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d)?$',
      }),
      Type.Null(),
    ],
    { default: null, description },
  )

export const term = (description: string) =>
  Type.String({
    title: 'a term in days, weeks, months or years such as 90d, 12w, 6mo or 10y',
    pattern: '^[1-9]\\d{0,4}(d|w|mo|y)$',
    description,
  })

export const address = (description: string) =>
  Type.String({
    title: 'an address such as rtsp://192.0.2.10/stream1',
    pattern: '^([A-Za-z][A-Za-z0-9+.-]*://\\S+|file:\\S(.*\\S)?)$',
    writeOnly: true,
    description,
  })
