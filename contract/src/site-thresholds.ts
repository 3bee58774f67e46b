import { Type } from 'typebox'
import { Hysteresis, batchSettings, level, provenance } from './site-alarms.ts'
import { itemRules } from './site-rules.ts'
import { clockTime, ids, itemKey, uuid } from './site-values.ts'

const closed = { additionalProperties: false }

/** A threshold batch of a site file. */
export const ThresholdBatch = Type.Object(
  {
    batchNo: uuid('Id of the batch, a uuid that you choose.'),
    stations: ids('The stations of the batch, all of this structure and factor.', { minItems: 1 }),
    items: Type.Array(
      Type.Object(
        {
          item: itemKey('Key of the item.'),
          timeDivision: Type.Optional(
            Type.Boolean({
              default: false,
              description: 'Whether the thresholds depend on the time of day.',
            }),
          ),
          config: Type.Optional(
            Type.Array(
              Type.Object(
                {
                  startTime: Type.Optional(clockTime('Clock time of the start of the slot.')),
                  endTime: Type.Optional(
                    clockTime(
                      'Clock time of the end of the slot, exclusive; may be after midnight.',
                    ),
                  ),
                  thresholds: Type.Array(
                    Type.Object(
                      {
                        level: level(
                          'Level of the alarm; 1 is the most severe unless `alarms.severity` is `highestFirst`.',
                        ),
                        value: Type.String({
                          minLength: 1,
                          description: 'Intervals, for example `(-,-300);(300,+)`.',
                          examples: ['(-,-300);(300,+)', '(5,10)'],
                        }),
                      },
                      { ...closed, description: 'The intervals of one level.' },
                    ),
                    { description: 'One entry for each level.' },
                  ),
                  ...provenance,
                },
                { ...closed, description: 'The thresholds of the whole day or of a slot.' },
              ),
              {
                minItems: 1,
                description:
                  'One entry for the whole day, or one for each slot. Left out: the item has only rules.',
              },
            ),
          ),
          hysteresis: Type.Optional(Hysteresis),
          ...itemRules,
        },
        { ...closed, description: 'The thresholds and rules of one item.' },
      ),
      { minItems: 1, description: 'The items with thresholds or rules.' },
    ),
    ...batchSettings,
  },
  { ...closed, description: 'Thresholds and rules of several stations.' },
)
