import { SITE } from './_site.ts'

type Tracking = Readonly<{ id: number; waveforms: number }>

/** A band of 2 to 4 Hz, about a first mode. */
const station = ({ id, waveforms }: Tracking): string =>
  `{ id: ${id}, name: Modes ${id}, fromWaveform: { station: ${waveforms}, peaks: [{ item: f1, low: 2, high: 4 }] } }`

/** The site with stations that track the first mode in the waveforms of others. */
export const withTracking = (stations: readonly Tracking[], site = SITE): string =>
  site
    .replace(
      '  - id: 33\n',
      `  - id: 35
    name: Modes
    items: [{ id: 351, key: f1, name: First, unit: Hz, precision: 0.001 }]
  - id: 33
`,
    )
    .replace(
      '      - factor: 19\n',
      `      - factor: 35
        stations: [${stations.map(station).join(', ')}]
      - factor: 19
`,
    )
