import { Type } from 'typebox'
import { oneOf } from './common.ts'
import { above, level, provenance } from './site-alarms.ts'

const closed = { additionalProperties: false }

/** The quality that a rule gives a value, and what that comes to. */
const quality = <const Class extends string>(
  classes: readonly Class[],
  byDefault: NoInfer<Class>,
) =>
  Type.Optional(
    oneOf(classes, {
      default: byDefault,
      description:
        'The quality of such a value. A bad one is kept, and is neither served nor evaluated; an uncertain one is served as such.',
    }),
  )

const Rate = Type.Object(
  {
    per: oneOf(['hour', 'day'], { description: 'Change per hour or per day.' }),
    days: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: 366,
        description:
          'How many local days in a row must exceed the limit; only with `per: day`. Left out: a single change is enough.',
      }),
    ),
    overMinutes: Type.Optional(
      above(
        'The time in minutes over which the change is measured. Left out: an hour or a day, as in `per`. Not with `days`.',
      ),
    ),
    consecutive: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether the change from each record to the next is measured. Not with `days` or `overMinutes`.',
      }),
    ),
    direction: Type.Optional(
      oneOf(['both', 'rising', 'falling'], {
        default: 'both',
        description: 'Which changes count: up and down, only up, or only down.',
      }),
    ),
    longestGap: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        default: 10,
        description:
          'The longest time between the two values, in hours or days as in `per`; longer than the time over which the change is measured. Not with `days`.',
      }),
    ),
    levels: Type.Array(
      Type.Object(
        {
          level: level('Level of the alarm.'),
          limit: above("The limit of the change, in the item's unit per hour or day."),
        },
        { ...closed, description: 'The limit of one level.' },
      ),
      { minItems: 1, description: 'One entry for each level.' },
    ),
    ...provenance,
  },
  { ...closed, description: 'A limit for the rate of change.' },
)

const Range = Type.Object(
  {
    low: Type.Optional(Type.Number({ description: 'The lowest value of the measuring range.' })),
    high: Type.Optional(Type.Number({ description: 'The highest value of the measuring range.' })),
    level: level('Level of the alarm.'),
    quality: quality(['bad', 'uncertain', 'good'], 'bad'),
    ...provenance,
  },
  {
    ...closed,
    description: 'The measuring range; values outside it are violations. Left out: not evaluated.',
  },
)

const Spike = Type.Object(
  {
    deviation: above(
      'How far a value may be from the median of the newest values, in the unit of the item.',
    ),
    records: Type.Optional(
      oneOf([3, 5, 7, 9, 11, 13, 15], {
        default: 5,
        description: 'Of how many of the newest values the median is taken, an odd number.',
      }),
    ),
    quality: quality(['bad', 'uncertain'], 'uncertain'),
    ...provenance,
  },
  {
    ...closed,
    description:
      'A value far from the median of the newest ones. It raises no alarm. Left out: not evaluated.',
  },
)

const Frozen = Type.Object(
  {
    hours: above('Hours without a change after which the value counts as frozen.'),
    epsilon: Type.Optional(
      Type.Number({
        minimum: 0,
        default: 0,
        description: 'The largest change that does not count, in the unit of the item.',
      }),
    ),
    records: Type.Optional(
      Type.Integer({
        minimum: 2,
        default: 5,
        description: 'The least number of records without a change.',
      }),
    ),
    level: level('Level of the alarm.'),
    quality: quality(['bad', 'uncertain', 'good'], 'uncertain'),
    ...provenance,
  },
  { ...closed, description: 'A value that does not change for too long. Left out: not evaluated.' },
)

const Design = Type.Object(
  {
    value: Type.Number({ description: "The design value in the item's unit, not 0." }),
    isSymmetric: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'Whether the limits apply on both sides of zero, or only on the side of the design value.',
      }),
    ),
    levels: Type.Array(
      Type.Object(
        {
          level: level('Level of the alarm.'),
          percent: above('The limit in percent of the design value.'),
        },
        { ...closed, description: 'The limit of one level.' },
      ),
      { minItems: 1, description: 'One entry for each level.' },
    ),
    ...provenance,
  },
  { ...closed, description: 'Limits in percent of a design value. Left out: none.' },
)

/** The rules of an item. */
export const itemRules = {
  rates: Type.Optional(
    Type.Array(Rate, { default: [], description: 'Limits for rates of change.' }),
  ),
  range: Type.Optional(Range),
  spike: Type.Optional(Spike),
  frozen: Type.Optional(Frozen),
  design: Type.Optional(Design),
}
