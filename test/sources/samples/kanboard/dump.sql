PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE users (
            id INTEGER PRIMARY KEY,
            username TEXT NOT NULL,
            password TEXT,
            is_admin INTEGER DEFAULT 0
        , is_ldap_user INTEGER DEFAULT 0, name TEXT, email TEXT, google_id TEXT, github_id TEXT, notifications_enabled INTEGER DEFAULT '0', timezone TEXT, language TEXT, disable_login_form INTEGER DEFAULT 0, twofactor_activated INTEGER DEFAULT 0, twofactor_secret TEXT, token TEXT DEFAULT '', notifications_filter INTEGER DEFAULT 4, nb_failed_login INTEGER DEFAULT 0, lock_expiration_date INTEGER DEFAULT 0, is_project_admin INTEGER DEFAULT 0, gitlab_id INTEGER, role TEXT NOT NULL DEFAULT 'app-user', is_active INTEGER DEFAULT 1, avatar_path TEXT, api_access_token VARCHAR(255) DEFAULT NULL, filter TEXT, theme TEXT DEFAULT 'light' NOT NULL);
INSERT INTO users VALUES(1,'admin','$2y$10$chqkEgIPDmUZ.RQ.fktwreZaNy9x47hhP7lmznF3y7FzzBZ2GuYFW',1,0,NULL,NULL,NULL,NULL,0,NULL,NULL,0,0,NULL,'',4,0,0,0,NULL,'app-admin',1,NULL,NULL,NULL,'light');
INSERT INTO users VALUES(2,'ada','$2y$10$WWZKgAS/Jmznr8PndyKzUu7p7P1HMtkL7ij8UTjO0P35FgXvOh4CW',0,0,'Ada ''); DROP TABLE users; -- \','Ada@Example.com',NULL,NULL,0,NULL,NULL,0,0,NULL,'',4,0,0,0,NULL,'app-user',1,NULL,NULL,NULL,'light');
INSERT INTO users VALUES(3,'zoe','$2y$10$kcO9vCbJF8mOs7/u6C4EvOu3idFP//fLs3D.NlcVw06uuOSo3Cc.C',0,0,replace('Zöe 😀\nline','\n',char(10)),'zoe@example.com','1234567890','4242',0,'Europe/Berlin','de_DE',0,0,NULL,'tok0123456789abcdef',4,0,0,0,77,'app-user',1,NULL,'deadbeefcafe0123456789abcdef',NULL,'light');
INSERT INTO users VALUES(4,'blank','$2y$10$zDcnhDyXAUAI7swFZjiAK.os.ukaBQ3zdSKlGYzaRKMKEcGgjpEQy',0,0,'','blank@example.com',NULL,NULL,0,NULL,NULL,0,0,NULL,'',4,0,0,0,NULL,'app-user',1,NULL,NULL,NULL,'light');
INSERT INTO users VALUES(5,'quote','$2y$10$r16qXZXTsjWtphYpWD2TyeWdBXvw7X2x1B83YFUwwkZz6rWKQ7kom',0,0,'"quoted"','quote@example.com',NULL,NULL,0,NULL,NULL,0,0,NULL,'',4,0,0,0,NULL,'app-manager',1,NULL,NULL,NULL,'light');
INSERT INTO users VALUES(6,'off','$2y$10$aABrXWh7ybI.Yctlb7tiL.jqlCd.LYjjigFYuwEdO.vamTNJo0jJO',0,0,'','off@example.com',NULL,NULL,0,NULL,NULL,0,0,NULL,'',4,0,0,0,NULL,'app-user',0,NULL,NULL,NULL,'light');
INSERT INTO users VALUES(7,'nomail','$2y$10$V1/pHIo8Tye8aGhdnOSUduDPm61W.RjS4jpH9i89zxeGvg7JKwojS',0,0,'','',NULL,NULL,0,NULL,NULL,0,0,NULL,'',4,0,0,0,NULL,'app-user',1,NULL,NULL,NULL,'light');
INSERT INTO users VALUES(8,'dup','$2y$10$G016rAtk3VP0YeiBza6kKOoeEVOJJS/fosNJYF1xbUfoPncggMAV6',0,0,'','ada@example.com',NULL,NULL,0,NULL,NULL,0,0,NULL,'',4,0,0,0,NULL,'app-user',1,NULL,NULL,NULL,'light');
INSERT INTO users VALUES(9,'twofa','$2y$10$6936lMON266lSOb/NKBtV.XJOazbDT1WTC6Dej8ic1YQgpJ00Vnte',0,0,'','twofa@example.com',NULL,NULL,0,NULL,NULL,0,1,'JBSWY3DPEHPK3PXP','',4,0,0,0,NULL,'app-user',1,NULL,NULL,NULL,'light');
INSERT INTO users VALUES(10,'mail@example.com','$2y$10$qNfdfjq3v7VBHFT8G4ef/e6ppqWaQLPZ2KgyH6GJ/0iTFTjfaLqES',0,0,'','',NULL,NULL,0,NULL,NULL,0,0,NULL,'',4,0,0,0,NULL,'app-user',1,NULL,NULL,NULL,'light');
INSERT INTO users VALUES(11,'long','$2y$10$z/9RX9s8oO9nt.bQqXFo7e6gnwnraFD1exI5fTSNcq6qEHgk1bA06',0,0,'','long@example.com',NULL,NULL,0,NULL,NULL,0,0,NULL,'',4,0,0,0,NULL,'app-user',1,NULL,NULL,NULL,'light');
INSERT INTO users VALUES(12,'boss','$2y$10$uqCE9Gy4vPXySGI/C/TtROk2dppap6m0oHn88u6HeIvz7BxeHDUNC',0,0,'','boss@example.com',NULL,NULL,0,NULL,NULL,0,0,NULL,'',4,9,1795618629,0,NULL,'app-admin',1,NULL,NULL,NULL,'light');
INSERT INTO users VALUES(13,'remote',NULL,0,1,'Remote','remote@example.com',NULL,NULL,0,NULL,NULL,1,0,NULL,'',4,0,0,0,NULL,'app-user',1,NULL,NULL,NULL,'light');
INSERT INTO users VALUES(14,'nologin','$2y$10$NBBHQzh0KnIk8.AxoQ.XPueyNFmrn4je4Exrp4JWjzYe6QMx93Kg6',0,0,NULL,'nologin@example.com',NULL,NULL,0,NULL,NULL,1,0,NULL,'',4,0,0,0,NULL,'app-user',1,NULL,NULL,NULL,'light');
COMMIT;
