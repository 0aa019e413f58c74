PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE admin (
          `username` varchar(255) NOT NULL,
          `password` varchar(255) NOT NULL,
          `superadmin` tinyint(1) NOT NULL DEFAULT '0',
          `created` datetime NOT NULL default '2000-01-01',
          `modified` datetime NOT NULL default '2000-01-01',
          `active` tinyint(1) NOT NULL DEFAULT '1', `phone` varchar(30) NOT NULL DEFAULT '', `email_other` varchar(255) NOT NULL DEFAULT '', token varchar(255)  NOT NULL DEFAULT '', token_validity datetime NOT NULL default '2000-01-01',
          PRIMARY KEY (`username`));
CREATE TABLE domain (
          `domain` varchar(255) NOT NULL,
          `description` varchar(255) NOT NULL,
          `aliases` int(11) NOT NULL DEFAULT 0,
          `mailboxes` int(11) NOT NULL DEFAULT 0,
          `maxquota` bigint(20) NOT NULL DEFAULT 0,
          `quota` bigint(20) NOT NULL DEFAULT 0,
          `transport` varchar(255) NOT NULL,
          `backupmx` tinyint(1) NOT NULL DEFAULT '0',
          `created` datetime NOT NULL default '2000-01-01',
          `modified` datetime NOT NULL default '2000-01-01',
          `active` tinyint(1) NOT NULL DEFAULT '1', password_expiry int DEFAULT 0,
          PRIMARY KEY (`domain`));
INSERT INTO domain VALUES('example.com','x',0,0,10,2048,'virtual',0,'2024-11-23 17:14:03','2024-11-23 17:14:03',1,365);
INSERT INTO domain VALUES('closed.example','',0,0,0,0,'virtual',0,'2000-01-01','2024-11-23 17:43:09',0,0);
CREATE TABLE mailbox (
          `username` varchar(255) NOT NULL,
          `password` varchar(255) NOT NULL,
          `name` varchar(255) NOT NULL,
          `maildir` varchar(255) NOT NULL,
          `quota` bigint(20) NOT NULL DEFAULT 0,
          `local_part` varchar(255) NOT NULL,
          `domain` varchar(255) NOT NULL,
          `created` datetime NOT NULL default '2000-01-01',
          `modified` datetime NOT NULL default '2000-01-01',
          `active` tinyint(1) NOT NULL DEFAULT '1', `phone` varchar(30) NOT NULL DEFAULT '', `email_other` varchar(255) NOT NULL DEFAULT '', token varchar(255)  NOT NULL DEFAULT '', token_validity datetime NOT NULL default '2000-01-01', password_expiry datetime NOT NULL default '2000-01-01',
          PRIMARY KEY (`username`));
INSERT INTO mailbox VALUES('ada@example.com','$2y$04$AgXlGmOO0nkPwPwvyzcbLuiSVBaEklfeZIeQH5N/hYqIqJHKmWCmW','Ada O''Lovelace','example.com/ada/',0,'ada','example.com','2024-11-23 17:14:03','2024-11-23 17:14:03',1,'','','','2024-11-23 17:14:03','2099-11-23 17:14');
INSERT INTO mailbox VALUES('grace.hopper@example.com','$1$c9809462$Twx76fa/DxLN9qH7tNOcW0','Grace "Amazing" Hopper','example.com/grace.hopper/',0,'grace.hopper','example.com','2024-11-23 17:14:03','2024-11-23 17:14:03',1,'','','','2024-11-23 17:14:03','2099-11-23 17:14');
INSERT INTO mailbox VALUES('zoe@example.com','$6$DXnKubLdkPhOXFrM$bWJXYjPIBO.ORBiDZ1V.x4GEa0.0lweN5ECUhKEGIL7EHjxjt5PwlbCKvyDPEq5fa7fOeYcfJ0YnwJkRBtxYo.','Zoë Müller','example.com/zoe/',0,'zoe','example.com','2024-11-23 17:14:04','2024-11-23 17:14:04',1,'','','','2024-11-23 17:14:03','2099-11-23 17:14');
INSERT INTO mailbox VALUES('emile@example.com','$1$c9809462$2YVMvzFwSWYg4XCPMZNwT1','Émile','example.com/emile/',0,'emile','example.com','2024-11-23 17:14:04','2024-11-23 17:14:04',0,'','','','2024-11-23 17:14:04','2099-11-23 17:14');
INSERT INTO mailbox VALUES('linus@example.com','{SHA512-CRYPT}$6$NksGsfm2jk5jcTJ8$UdlFFR5nGWcF5moKn54O2tIiOeK1BYVf/dx20eeCyILUCV3vS..oypgJS6N6y6CYXUw0VW2P.uwkCccCtYRHy/','Linus','example.com/linus/',0,'linus','example.com','2024-11-23 17:14:04','2024-11-23 17:14:04',1,'','','','2024-11-23 17:14:04','2099-11-23 17:14');
INSERT INTO mailbox VALUES('hedy@example.com','{CRAM-MD5}6662f57731af2cc4a41ffcbab83df2ad90fe136a1bc7599d339e0bce6b33003a','Hedy Lamarr','example.com/hedy/',0,'hedy','example.com','2024-11-23 17:14:05','2024-11-23 17:14:05',1,'','','','2024-11-23 17:14:05','2099-11-23 17:14');
INSERT INTO mailbox VALUES('kath@example.com','{SHA512-CRYPT.B64}JDYkRTZhdGRoVVUyREhqUXR5cSR6bk5FUDNpalVWckU3eTR4enVMUUhZUkU4eTVEN0JqeUFyWEE3V2d0b3V4UTdwdW45ZDhCZ29UVjFnQXlEa2thaUd3WFYueldqb05sVzllcllkT2R1Lw==','Katherine','example.com/kath/',0,'kath','example.com','2024-11-23 17:14:05','2024-11-23 17:14:05',1,'','','','2024-11-23 17:14:05','2099-11-23 17:14');
INSERT INTO mailbox VALUES('bob@example.com','be4efac212a92e37b9f217638360b93d','Bob','example.com/bob/',0,'bob','example.com','2024-11-23 17:14:06','2024-11-23 17:14:06',1,'','','','2024-11-23 17:14:06','2099-11-23 17:14');
INSERT INTO mailbox VALUES('mia@closed.example','$2y$04$RZlfV9M61Ne/7VLnu2CT1.ZM6DXDt9PQ4RSh.oTrX5pIiKTtlBRBq','Mia','closed.example/mia/',0,'mia','closed.example','2024-11-23 17:43:09','2024-11-23 17:43:09',1,'','','','2024-11-23 17:43:09','2024-11-23 17:43');
COMMIT;
