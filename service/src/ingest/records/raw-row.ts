import type { CatalogueSensor } from '../../domain/site/catalogue.ts'

/** A raw record that can be stored. */
export type RawRow = {
  sensor: CatalogueSensor
  time: number
  /** The values in the order of the sensor's items. */
  values: (number | undefined)[]
  /** The values as sent, `null` included. */
  named: object
}
