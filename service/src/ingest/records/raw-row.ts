import type { CatalogueSensor } from '../../domain/site/catalogue.ts'

/** A raw record that can be stored. */
export type RawRow = {
  sensor: CatalogueSensor
  time: number
  /** In the order of the sensor's items. */
  values: (number | undefined)[]
  /** What the sender named, null and all. */
  named: object
}
