/**
 * Raw logger values to engineering units, as the public scripts of usgs/landslides-thresholds
 * (`src/pyth_scripts`) do it. Each function names its script.
 */

/** `rain_mm.py`: one tip of the bucket is 0.254 mm (0.01 inch, `rain_in.py`). */
export function millimetresOfRain(tips: number): number {
  return tips * 0.254
}

/** `VWC.py`: m³ of water in a m³ of soil. */
export function soilWaterContent(volts: number): number {
  return volts * 2.975 - 0.4
}

/** `Tensiometer_Press.py`: kPa. */
export function tensiometerPressure(raw: number): number {
  return raw * -0.1 + 100
}

/** `Tensiometer_Temp_C.py`: °C. */
export function tensiometerTemperature(raw: number): number {
  return raw * 0.05 - 30
}

/** `barom.py`: kPa. */
export function airPressure(raw: number): number {
  return (raw * 0.24 + 500) * 0.1
}

/** `airTemp.py`: °C of a station with a CR1000 logger, which records the ratio of voltages. */
export function airTemperatureCr1000(ratio: number): number {
  const ohms = 23100 * (ratio / (1 - ratio))
  return -39.17 * Math.log(ohms) + 410.43
}

/** `airTemp.py`: °C of a station with a CR200 logger, which records mV of 2,500 mV. */
export function airTemperatureCr200(millivolts: number): number {
  return airTemperatureCr1000(millivolts / 2500)
}

export type PiezometerSensor = {
  squared: number
  linear: number
  constant: number
  temperatureSlope: number
  temperatureIntercept: number
  temperatureOffset: number
  calibratedAt: number
  zeroOffset: number
}

const KPA_PER_PSI = 6.89475729
const METRES_PER_KPA = 0.1019977334
const STANDARD_ATMOSPHERE = 101.3

/** `lvl_m.py`: the calibration of the two vibrating-wire piezometers at Marine View Drive. */
export const MARINE_VIEW_PIEZOMETERS: readonly PiezometerSensor[] = [
  {
    squared: -0.000095792,
    linear: -0.002326,
    constant: 828.53,
    temperatureSlope: 0.038 * KPA_PER_PSI,
    temperatureIntercept: -0.762 * KPA_PER_PSI,
    temperatureOffset: 0.3,
    calibratedAt: 20.2,
    zeroOffset: 0.1,
  },
  {
    squared: -0.00010171,
    linear: 0.016517,
    constant: 772.93,
    temperatureSlope: 0.0208 * KPA_PER_PSI,
    temperatureIntercept: -0.414 * KPA_PER_PSI,
    temperatureOffset: 0.1,
    calibratedAt: 20.2,
    zeroOffset: -0.2,
  },
]

export type PiezometerReading = { hertz: number; ohms: number; airPressure: number }

/** `lvl_m.py`: metres of water, corrected for temperature and air pressure. */
export function waterLevel(sensor: PiezometerSensor, reading: PiezometerReading): number {
  const { hertz, ohms } = reading
  const log = Math.log(ohms)
  const celsius =
    1 / (1.4051e-3 + 2.369e-4 * log + 1.019e-7 * log ** 3) - 273.15 + sensor.temperatureOffset
  const kilopascals =
    sensor.squared * hertz ** 2 +
    sensor.linear * hertz +
    sensor.constant +
    (sensor.calibratedAt - celsius) * sensor.temperatureSlope +
    sensor.temperatureIntercept -
    (reading.airPressure - STANDARD_ATMOSPHERE)
  return kilopascals * METRES_PER_KPA + sensor.zeroOffset
}
