import { Type } from 'typebox'
import { Hysteresis, clearing, itemRules, level, provenance } from './site-alarms.ts'
import { clockTime, ids, itemKey, uuid } from './site-values.ts'

const closed = { additionalProperties: false }

/** Thresholds that several stations have in common. */
export const ThresholdBatch = Type.Object(
  {
    batchNo: uuid('Number of the batch, a uuid of your own choice.'),
    stations: ids('The stations it holds for; of this structure and factor.', { minItems: 1 }),
    items: Type.Array(
      Type.Object(
        {
          item: itemKey("Key of the factor's item."),
          timeDivision: Type.Optional(
            Type.Boolean({ default: false, description: 'Whether it differs by time of day.' }),
          ),
          config: Type.Optional(
            Type.Array(
              Type.Object(
                {
                  startTime: Type.Optional(clockTime('Clock time at which the slot starts.')),
                  endTime: Type.Optional(
                    clockTime(
                      'Clock time at which it ends, itself excluded; may be past midnight.',
                    ),
                  ),
                  thresholds: Type.Array(
                    Type.Object(
                      {
                        level: level(
                          'Level of the alarm; 1 is the most severe unless `alarms` says otherwise.',
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
                { ...closed, description: 'The thresholds of the whole day or of one slot.' },
              ),
              {
                minItems: 1,
                description:
                  'One entry for the whole day, or one for each slot. Left out: the item has rules only.',
              },
            ),
          ),
          hysteresis: Type.Optional(Hysteresis),
          ...itemRules,
        },
        { ...closed, description: 'The thresholds and rules of one item.' },
      ),
      { minItems: 1, description: 'The items it sets thresholds or rules for.' },
    ),
    ...clearing,
  },
  { ...closed, description: 'Thresholds of several stations, set together.' },
)
