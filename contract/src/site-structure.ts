import { Type } from 'typebox'
import { StructureAlarms } from './site-alarms.ts'
import { Group, Station } from './site-station.ts'
import { ThresholdBatch } from './site-thresholds.ts'
import { address, id, ids, itemKey, name, term, text, timeZone, uuid } from './site-values.ts'
import { oneOf } from './common.ts'

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
        description:
          'Stations without a group; they are served in a default group named after the factor.',
      }),
    ),
    thresholds: Type.Optional(
      Type.Array(ThresholdBatch, { default: [], description: 'Threshold batches.' }),
    ),
  },
  { ...closed, description: 'A factor that the structure has configured.' },
)

const Device = Type.Object(
  {
    id: uuid('Id of the device, unique in the whole service.'),
    name: name('Name of the device.'),
    kind: oneOf(['gateway', 'dtu', 'node', 'sensor'], { description: 'Kind of device.' }),
    parent: Type.Optional(
      Type.Union([uuid('Id of a device of the same structure.'), Type.Null()], {
        default: null,
        description:
          'The device through which it reports. A gateway is above DTUs, these above nodes, these above sensors.',
      }),
    ),
    intervalSeconds: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 31_622_400 }), Type.Null()], {
        default: null,
        description: 'Seconds between two reports. Left out: no offline detection.',
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
        { default: [], description: 'The raw values that the device sends.' },
      ),
    ),
  },
  { ...closed, description: 'A gateway, DTU, node or sensor.' },
)

const StandardPicture = Type.Object(
  {
    source: Type.Optional(
      address('Address of a second stream of the camera. Left out: that of the camera.'),
    ),
    height: Type.Optional(
      Type.Integer({
        minimum: 120,
        maximum: 2160,
        description:
          'Height in pixels to which the service reduces the picture, which takes processor time. Left out: the picture is not changed.',
      }),
    ),
  },
  {
    ...closed,
    description:
      'What plays in standard definition (quality `d`). Left out: the same as in high definition.',
  },
)

const Camera = Type.Object(
  {
    id: id('Camera id, unique in the whole service.'),
    location: text('Place of the camera.'),
    serialNo: name('Serial number; with the channel number it identifies the camera.'),
    channelNo: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 65_535, default: 1, description: 'Channel number.' }),
    ),
    hasPTZ: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether it can pan, tilt and zoom.' }),
    ),
    type: text('Type of the camera, any text.'),
    source: address(
      'Address of its stream: rtsp, rtsps, rtmp, rtmps, http or https, or `file:` with the name of a file in the folder `cameras` of the data folder. It may contain a password, which is masked wherever the address is shown.',
    ),
    standard: Type.Optional(StandardPicture),
    onvif: Type.Optional(
      address(
        'Address of its ONVIF device service, with user and password, for example http://user:password@192.0.2.10/onvif/device_service. Needed to pan, tilt and zoom.',
      ),
    ),
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
          overload: name('Name of the overload.'),
        }),
        {
          ...closed,
          default: {},
          description: 'Display names of the fields. Default: English names.',
        },
      ),
    ),
  },
  { ...closed, description: 'Traffic of the structure. Left out: it has none.' },
)

const Retention = Type.Object(
  {
    theme: Type.Optional(term('Retention period of station records.')),
    raw: Type.Optional(term('Retention period of raw records.')),
    vibration: Type.Optional(
      term('Retention period of waveforms; `theme` is for their station records.'),
    ),
    traffic: Type.Optional(term('Retention period of traffic.')),
  },
  {
    ...closed,
    description:
      'Retention periods, after which whole local days are deleted. Left out: records never expire.',
  },
)

/** A structure of a site file. */
export const Structure = Type.Object(
  {
    id: id('Structure id, unique in the whole service.'),
    name: name('Name of the structure.'),
    type: id('Id of a structure type.'),
    latitude: Type.Number({ minimum: -90, maximum: 90, description: 'Degrees north.' }),
    longitude: Type.Number({ minimum: -180, maximum: 180, description: 'Degrees east.' }),
    portrait: Type.Optional(text('Reference of an image of the structure.', '')),
    timeZone: Type.Optional(timeZone('Its IANA time zone. Left out: that of the site file.')),
    projects: Type.Optional(ids('Ids of its projects.', { default: [] })),
    factors: Type.Optional(
      Type.Array(ConfiguredFactor, {
        default: [],
        description: 'Its configured factors, in the order in which they are served.',
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
