import { Type } from 'typebox'

const closed = { additionalProperties: false }

/** Where numbers come from; kept in the file, for whoever reads it. */
export const provenance = {
  clause: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The clause that the numbers follow, in your own words.',
      examples: ['GB 50497-2019, 8.0.4'],
    }),
  ),
  unconfirmed: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'The numbers are not confirmed by anybody yet; noted whenever it is applied.',
    }),
  ),
}

export const level = (description: string) => Type.Integer({ minimum: 1, maximum: 99, description })

const above = (description: string) => Type.Number({ exclusiveMinimum: 0, description })

export const Hysteresis = Type.Object(
  {
    value: Type.Optional(above("By so much, in the item's unit.")),
    percent: Type.Optional(
      above('By so many percent of the band between two limits, or of a limit that stands alone.'),
    ),
  },
  {
    ...closed,
    description:
      'How far a value must be back before it counts as calm; either `value` or `percent`. Left out: as soon as it is over no limit.',
  },
)

const Rate = Type.Object(
  {
    per: Type.Enum(['hour', 'day'], { description: 'Change per hour or per day.' }),
    days: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: 366,
        description: 'On so many local days in a row, with `per: day`. Left out: at any time.',
      }),
    ),
    longestGap: Type.Optional(
      Type.Number({
        exclusiveMinimum: 1,
        default: 10,
        description:
          'A reading more than so many hours or days old is not compared with. Not with `days`.',
      }),
    ),
    levels: Type.Array(
      Type.Object(
        {
          level: level('Level of the alarm.'),
          limit: above("The change that is too much, up or down, in the item's unit."),
        },
        { ...closed, description: 'The limit of one level.' },
      ),
      { minItems: 1, description: 'One entry for each level.' },
    ),
    ...provenance,
  },
  { ...closed, description: 'A rate of change that is too high.' },
)

const Range = Type.Object(
  {
    low: Type.Optional(Type.Number({ description: 'The lowest value that can be measured.' })),
    high: Type.Optional(Type.Number({ description: 'The highest value that can be measured.' })),
    level: level('Level of the alarm.'),
    ...provenance,
  },
  { ...closed, description: 'Values that the instrument cannot measure. Left out: none.' },
)

const Frozen = Type.Object(
  {
    hours: above('For how many hours it does not move.'),
    epsilon: Type.Optional(
      Type.Number({
        minimum: 0,
        default: 0,
        description: 'Moving by no more than this is not moving.',
      }),
    ),
    records: Type.Optional(
      Type.Integer({
        minimum: 2,
        default: 5,
        description: 'It takes at least so many records to tell.',
      }),
    ),
    level: level('Level of the alarm.'),
    ...provenance,
  },
  { ...closed, description: 'A value that does not move for too long. Left out: not watched.' },
)

const Design = Type.Object(
  {
    value: Type.Number({ description: "The design value, in the item's unit; not 0." }),
    isSymmetric: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Whether it holds on both sides of zero, or only on its own.',
      }),
    ),
    levels: Type.Array(
      Type.Object(
        {
          level: level('Level of the alarm.'),
          percent: above('The percentage of the design value that is too much.'),
        },
        { ...closed, description: 'The limit of one level.' },
      ),
      { minItems: 1, description: 'One entry for each level.' },
    ),
    ...provenance,
  },
  { ...closed, description: 'Percentages of a design value. Left out: none.' },
)

/** What an item is watched for besides its thresholds. */
export const itemRules = {
  rates: Type.Optional(
    Type.Array(Rate, { default: [], description: 'Rates of change that are too high.' }),
  ),
  range: Type.Optional(Range),
  frozen: Type.Optional(Frozen),
  design: Type.Optional(Design),
}

/** How the alarms of a batch end. */
export const clearing = {
  clearAfter: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 1,
      description: 'An alarm is cleared by so many calm records in a row.',
    }),
  ),
  needsPerson: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether an alarm stays until a person confirms it.',
    }),
  ),
}

/** What holds for all alarms of a structure. */
export const StructureAlarms = Type.Object(
  {
    severity: Type.Optional(
      Type.Enum(['lowestFirst', 'highestFirst'], {
        default: 'lowestFirst',
        description: 'Which level is the most severe one: 1, or the highest number.',
      }),
    ),
    offlineAfter: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 1000,
        default: 3,
        description: 'A device is offline when it was silent for more than so many intervals.',
      }),
    ),
    deviceLevel: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 99,
        default: 3,
        description: 'Level of the alarms about devices.',
      }),
    ),
  },
  { ...closed, description: 'What holds for all alarms of the structure.' },
)
