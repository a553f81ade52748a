-- Makes the rows of a version visible.
INSERT INTO serve_publication
SELECT
    {version:UInt64},
    {published_at:DateTime64(3, 'UTC')},
    mapFromArrays({chain_ids:Array(UInt32)}, {blocks:Array(UInt64)})
