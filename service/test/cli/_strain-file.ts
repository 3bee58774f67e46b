/** A mapping of files with a time and the strain of station 1002 in each row. */
export const STRAIN_MAPPING = `format: csv
delimiter: ;
headerRow: 0
columnCount: 2
time: { column: 1, format: YYYY-MM-DD HH:mm:ss }
columns: [{ column: 2, station: 1002, item: strain }]
`
