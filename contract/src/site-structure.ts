import { Type } from 'typebox'
import { StructureAlarms } from './site-alarms.ts'
import { Group, Station } from './site-station.ts'
import { ThresholdBatch } from './site-thresholds.ts'
import { address, id, ids, itemKey, name, term, text, timeZone, uuid } from './site-values.ts'

const closed = { additionalProperties: false }

const ConfiguredFactor = Type.Object(
  {
    factor: id('Id of a factor of the catalogue.'),
    groups: Type.Optional(
      Type.Array(Group, { default: [], description: 'The named groups of stations.' }),
    ),
    stations: Type.Optional(
      Type.Array(Station, {
        default: [],
        description: 'Stations in no group; served in a default group named after the factor.',
      }),
    ),
    thresholds: Type.Optional(
      Type.Array(ThresholdBatch, { default: [], description: 'Thresholds of the stations.' }),
    ),
  },
  { ...closed, description: 'A factor that this structure has configured.' },
)

const Device = Type.Object(
  {
    id: uuid('Id of the device, unique in the whole service.'),
    name: name('Name of the device.'),
    kind: Type.Enum(['gateway', 'dtu', 'node', 'sensor'], { description: 'Kind of device.' }),
    parent: Type.Optional(
      Type.Union([uuid('Id of a device of the same structure.'), Type.Null()], {
        default: null,
        description: 'The device it reports through, above it: gateway, then DTU, node, sensor.',
      }),
    ),
    intervalSeconds: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 31_622_400 }), Type.Null()], {
        default: null,
        description: 'How often it reports. Left out: its silence raises no alarm.',
      }),
    ),
    items: Type.Optional(
      Type.Array(
        Type.Object(
          {
            key: itemKey('Key of the raw value, unique within the device.'),
            name: name('Name of the raw value.'),
            unit: Type.Optional(text('Its unit.', '')),
          },
          { ...closed, description: 'A raw value that the device sends.' },
        ),
        { default: [], description: 'What the device sends.' },
      ),
    ),
  },
  { ...closed, description: 'A gateway, DTU, node or sensor.' },
)

const Camera = Type.Object(
  {
    id: id('Camera id, unique in the whole service.'),
    location: text('Where it is.'),
    serialNo: name('Serial number; together with the channel it names the camera.'),
    channelNo: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 65_535, default: 1, description: 'Channel number.' }),
    ),
    hasPTZ: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether it can pan, tilt and zoom.' }),
    ),
    type: text('Type of camera, in your own words.'),
    source: address('Address of its stream. May hold a password; it is never shown.'),
  },
  { ...closed, description: 'A camera.' },
)

const Traffic = Type.Object(
  {
    loadUnit: name('Unit of the vehicle weight.'),
    axleLoadUnit: name('Unit of the axle weights.'),
    names: Type.Optional(
      Type.Partial(
        Type.Object({
          license: name('Name of the plate.'),
          time: name('Name of the time.'),
          lane: name('Name of the lane.'),
          direction: name('Name of the direction.'),
          axleCount: name('Name of the number of axles.'),
          load: name('Name of the vehicle weight.'),
          axleLoad: name('Name of the axle weights.'),
          overload: name('Name of the overload mark.'),
        }),
        {
          ...closed,
          default: {},
          description: 'Display names of the fields, where you have yours.',
        },
      ),
    ),
  },
  { ...closed, description: 'Traffic flow. Left out: the structure has none.' },
)

const Retention = Type.Object(
  {
    theme: Type.Optional(term('How long station values are kept.')),
    raw: Type.Optional(term('How long raw values are kept.')),
    vibration: Type.Optional(term('How long waveforms are kept; their station values are theme.')),
    traffic: Type.Optional(term('How long vehicles are kept.')),
  },
  {
    ...closed,
    description:
      'How long records are kept; then whole local days are deleted. Left out: for ever.',
  },
)

/** A structure and all that belongs to it. */
export const Structure = Type.Object(
  {
    id: id('Structure id, unique in the whole service.'),
    name: name('Name of the structure.'),
    type: id('Id of a structure type.'),
    latitude: Type.Number({ minimum: -90, maximum: 90, description: 'Degrees north.' }),
    longitude: Type.Number({ minimum: -180, maximum: 180, description: 'Degrees east.' }),
    portrait: Type.Optional(text('Image of the structure.', '')),
    timeZone: Type.Optional(timeZone("Its time zone, an IANA name. Left out: the file's.")),
    projects: Type.Optional(ids('Projects it belongs to.', { default: [] })),
    factors: Type.Optional(
      Type.Array(ConfiguredFactor, {
        default: [],
        description: 'The factors it has configured, in the order in which they are served.',
      }),
    ),
    devices: Type.Optional(
      Type.Array(Device, { default: [], description: 'Its gateways, DTUs, nodes and sensors.' }),
    ),
    traffic: Type.Optional(Traffic),
    retention: Type.Optional(Retention),
    alarms: Type.Optional(StructureAlarms),
    cameras: Type.Optional(Type.Array(Camera, { default: [], description: 'Its cameras.' })),
  },
  { ...closed, description: 'A bridge, tunnel, dam, slope, pit or building.' },
)
