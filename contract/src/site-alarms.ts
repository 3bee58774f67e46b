import { Type } from 'typebox'
import { oneOf } from './common.ts'

const closed = { additionalProperties: false }

/** Documents where the numbers of thresholds and rules come from. */
export const provenance = {
  clause: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The clause of a standard that the numbers follow, any text.',
      examples: ['GB 50497-2019, 8.0.4'],
    }),
  ),
  unconfirmed: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Whether the numbers still need to be confirmed; `plumbline site apply` then warns.',
    }),
  ),
}

export const level = (description: string) => Type.Integer({ minimum: 1, maximum: 99, description })

export const above = (description: string) => Type.Number({ exclusiveMinimum: 0, description })

export const Hysteresis = Type.Object(
  {
    value: Type.Optional(above("The deadband in the item's unit.")),
    percent: Type.Optional(
      above('The deadband in percent of the distance between two limits, or of a single limit.'),
    ),
  },
  {
    ...closed,
    description:
      'The deadband, as `value` or `percent`: how far a value must be inside its limits to count as normal. Left out: none.',
  },
)

const RaiseAfter = Type.Object(
  {
    records: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: 100,
        description: 'How many of the newest records must have reached the level.',
      }),
    ),
    of: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: 100,
        description: 'How many of the newest records count. Left out: as many as `records`.',
      }),
    ),
    minutes: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 525_600,
        description: 'For how many minutes all records must have reached the level.',
      }),
    ),
  },
  {
    ...closed,
    description:
      'The on-delay: `records` with or without `of`, or `minutes`. Left out: the first violation raises an alarm.',
  },
)

/** Whether a threshold batch is evaluated, and how its alarms are raised and closed. */
export const batchSettings = {
  enabled: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        'Whether the batch is evaluated. A batch that is switched off raises nothing; the next record clears its alarms.',
    }),
  ),
  raiseAfter: Type.Optional(RaiseAfter),
  clearAfter: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description:
        'The off-delay: how many normal records in a row clear an alarm. Left out: 1 beside `clearAfterMinutes`; without both, 3 records and 60 minutes.',
    }),
  ),
  clearAfterMinutes: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 525_600,
      description:
        'For how many minutes these records must have been normal. Left out: 0 beside `clearAfter`; without both, 3 records and 60 minutes.',
    }),
  ),
  needsPerson: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether an alarm stays open until a person confirms it.',
    }),
  ),
}

/** The alarm settings of a structure. */
export const StructureAlarms = Type.Object(
  {
    severity: Type.Optional(
      oneOf(['lowestFirst', 'highestFirst'], {
        default: 'lowestFirst',
        description: 'Whether level 1 is the most severe one, or the highest level.',
      }),
    ),
    offlineAfter: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 1000,
        default: 3,
        description:
          'How many of its intervals a device may be silent before it counts as offline.',
      }),
    ),
    deviceLevel: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 99,
        default: 3,
        description: 'Level of alarms of devices.',
      }),
    ),
    evaluateUncertain: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Whether uncertain values are held against thresholds and rules.',
      }),
    ),
  },
  { ...closed, description: 'Settings of the alarms of the structure.' },
)
