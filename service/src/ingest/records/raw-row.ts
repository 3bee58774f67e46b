import type { Marks } from '../../domain/quality/quality.ts'
import type { CatalogueSensor } from '../../domain/site/catalogue.ts'

/** A raw record that can be stored. */
export type RawRow = {
  sensor: CatalogueSensor
  time: number
  /** The values in the order of the sensor's items, bad ones among them. */
  values: (number | undefined)[]
  marks?: Marks | undefined
}
